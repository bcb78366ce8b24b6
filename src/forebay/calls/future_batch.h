// Batches that are there later: what operators called one by one take and give.
//
// A batch is fed, or made by a task of the arrays' lane, or lies in an array of `ndarray`, or is put together
// of samples of other batches. Whoever needs its content, a task or a thread that waits, orders itself behind
// the variables that add_reads() names. So calls, arrays and what is computed of either depend on each other
// as tasks of one engine do.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "forebay/base/error_context.h"
#include "forebay/base/status.h"
#include "forebay/engine/variable.h"
#include "forebay/ndarray/array.h"
#include "forebay/tensor/batch.h"

namespace forebay::calls {

class FutureBatch;
using FutureBatchRef = std::shared_ptr<FutureBatch>;
using Variables = absl::InlinedVector<engine::Variable, 4>;

/// Whose memory the samples are in.
enum class Ownership {
  kOwn,       // nobody writes it any more
  kArray,     // an array's: later tasks may write it
  kExternal,  // memory of the user, which may be written at any time after the call that uses it
};

/// Any thread may use it, and its content is the same for all.
class FutureBatch : public std::enable_shared_from_this<FutureBatch> {
 public:
  virtual ~FutureBatch() = default;
  FutureBatch(const FutureBatch&) = delete;
  FutureBatch& operator=(const FutureBatch&) = delete;

  /// The number of samples, which is known at once.
  virtual int size() const = 0;
  virtual Ownership ownership() const = 0;

  /// Adds the variables that a task must read to use sample().
  virtual void add_reads(Variables* reads) const = 0;
  /// In a task that reads those.
  virtual Result<tensor::Tensor> sample(int index) const = 0;
  /// Where the sample was read from; empty where that is unknown.
  virtual SampleOrigin origin(int /*index*/) const { return {}; }

  /// Whether the content is there already, and without an error.
  virtual bool is_ready() const = 0;
  /// How many bytes it holds now.
  virtual size_t held_bytes() const { return 0; }

  /// Waits for the content. Returns the error of the task that should have made it, any number of times.
  virtual Result<tensor::Batch> get() = 0;

  /// The batch stacked, samples first, as an array: at once where `spec` is given (if the content differs the
  /// array carries the error), else after waiting. What a call has made goes to the array without a copy if
  /// nobody else has its memory, and from then on this batch *is* the array: it has its variable. No other
  /// thread may use the batch meanwhile.
  virtual Result<ndarray::Array> array(const std::optional<ndarray::ArraySpec>& spec);

 protected:
  FutureBatch() = default;
};

/// A batch that is there. `origins` is empty or has one for each sample.
FutureBatchRef ready_batch(tensor::Batch batch, bool is_external, std::vector<SampleOrigin> origins = {});

/// An array as a batch, without a copy: of one sample, or with the first axis as the samples. The layout
/// is of a sample. invalid_argument where it does not fit, or there is no axis to split.
Result<FutureBatchRef> array_batch(ndarray::Array array, const std::string& layout, bool is_split);

/// Samples of other batches, in this order. out_of_range for a place that a batch does not have.
Result<FutureBatchRef> gathered_batch(std::vector<std::pair<FutureBatchRef, int>> samples);

/// What an array of `spec` shows of the batch. invalid_argument where they differ.
Result<tensor::Tensor> stacked_as(const tensor::Batch& batch, const ndarray::ArraySpec& spec);

}  // namespace forebay::calls
