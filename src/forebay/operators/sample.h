// One sample at one operator: its inputs, arguments and identity, and where its results go.
//
// An operator asks for an output once it knows the spec, and writes into what it gets: an intermediate from
// the pool, or the final slot in the batch. Alternatively it forwards a tensor it holds, so reshapes and
// selections copy nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "forebay/base/error_context.h"
#include "forebay/base/random/random.h"
#include "forebay/tensor/tensor.h"

namespace forebay::operators {

using tensor::DType;
using tensor::Layout;
using tensor::MutableTensorView;
using tensor::Shape;
using tensor::Tensor;
using tensor::TensorSpec;
using tensor::TensorView;

/// Identifies a sample. Equal for equal (seed, epoch, position), regardless of batch size, threads or rank.
struct SampleIdentity {
  int64_t epoch = 0;
  int64_t position = 0;       // position in the epoch's global order
  uint32_t sub_position = 0;  // which output of an expanding operator
  uint32_t attempt = 0;       // > 0 for a sample that replaces a broken one
  int64_t sample_index = -1;  // index in the data set; -1 for samples that were fed
  int64_t stream_index = 0;   // running count in this session
  int index_in_batch = 0;
  SampleOrigin origin;
};

/// Services of the executor for an operator. Thread compatible; one object per task.
class SampleServices {
 public:
  virtual ~SampleServices() = default;

  /// Allocates output `output` of the running operator. A refusal (memory limit) is passed on unchanged.
  virtual Result<Tensor> allocate_output(int output, const TensorSpec& spec) = 0;

  /// Scratch memory until the operator returns, with unspecified content; counted against the memory limit.
  virtual Result<MutableBytes> scratch(size_t bytes) = 0;

  /// Counts memory that a library (such as a decoder) will allocate itself against the limit, until the
  /// operator returns.
  virtual Status reserve(size_t bytes) = 0;

  /// Runs function(0..count-1), possibly on several workers; returns when all calls are done.
  virtual void parallel_for(int64_t count, const std::function<void(int64_t)>& function) = 0;
};

class Sample {
 public:
  Sample(const SampleIdentity& identity, uint64_t random_key, std::span<const Tensor> inputs,
         std::span<const Tensor> arguments, std::span<Tensor> outputs, SampleServices& services)
      : identity_(identity),
        random_key_(random_key),
        inputs_(inputs),
        arguments_(arguments),
        outputs_(outputs),
        services_(services) {}

  const SampleIdentity& identity() const { return identity_; }

  /// `status` with this sample's position, for operators that have a whole batch: of a sample alone its
  /// executor knows. OK stays OK.
  Status named(const Status& status) const;

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  const Tensor& input(int index) const { return inputs_[index]; }

  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const Tensor& result(int index) const { return outputs_[index]; }

  /// Allocates output `index`, with unspecified content. Call it once.
  Result<MutableTensorView> output(int index, const TensorSpec& spec) {
    FOREBAY_ASSIGN_OR_RETURN(outputs_[index], services_.allocate_output(index, spec));
    return outputs_[index].mutable_view();
  }

  /// Makes `tensor` itself output `index`, shared: nothing is copied.
  void forward(int index, Tensor tensor) { outputs_[index] = std::move(tensor); }

  /// The tensor given for an argument (see Arg<T>).
  const Tensor& argument(int slot) const { return arguments_[slot]; }

  /// This operator's random numbers for this sample. Streams with different numbers are independent.
  RandomStream random(uint32_t stream = 0) const {
    return RandomStream(mix64(random_key_, (uint64_t{identity_.attempt} << 32) | stream),
                        static_cast<uint64_t>(identity_.position), identity_.sub_position);
  }

  /// The same sample at a step of a fused operator, whose argument slot 0 is this one's `first_slot`.
  Sample at_step(int first_slot, std::span<const Tensor> inputs, std::span<Tensor> outputs,
                 SampleServices& services) const {
    return Sample(identity_, random_key_, inputs, arguments_.subspan(first_slot), outputs, services);
  }
  std::span<const Tensor> inputs() const { return inputs_; }
  std::span<Tensor> outputs() { return outputs_; }
  SampleServices& services() { return services_; }

  Result<MutableBytes> scratch(size_t bytes) { return services_.scratch(bytes); }
  Status reserve(size_t bytes) { return services_.reserve(bytes); }
  void parallel_for(int64_t count, const std::function<void(int64_t)>& function) {
    services_.parallel_for(count, function);
  }

  /// As parallel_for(), of what may fail: the error of the first item that has one, whatever the number of
  /// workers.
  Status try_parallel_for(int64_t count, const std::function<Status(int64_t)>& function);

 private:
  const SampleIdentity& identity_;
  uint64_t random_key_;
  std::span<const Tensor> inputs_;
  std::span<const Tensor> arguments_;
  std::span<Tensor> outputs_;
  SampleServices& services_;
};

}  // namespace forebay::operators
