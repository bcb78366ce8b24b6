// A source gives random access to samples: an index of where each sample's bytes are, and reads of any sample
// by number. It knows nothing of order, shards or batches; those are arithmetic (order.h).
//
// The fields of a record share the bytes that were read; nothing is copied on the way. A tensor's bytes are
// followed by zeros or by bytes of the same object, so reading `padding_bytes` past any field stays inside
// the buffer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/budget/budget.h"
#include "forebay/base/error_context.h"
#include "forebay/base/status.h"
#include "forebay/storage/context.h"
#include "forebay/storage/read_bytes.h"
#include "forebay/storage/read_plan.h"
#include "forebay/tensor/tensor.h"

namespace forebay::storage {
class ObjectStore;
}

namespace forebay::dataset {

/// Where the bytes of one sample are. `length_bytes` is what a read will fetch, which is what a budget must
/// reserve; but where `head_bytes` is there, read() takes no more than that before it asks
/// ReadFlags::reserve.
struct SampleLocation {
  std::string object;  // path or URI as users write it
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
  int64_t label = 0;  // 0 for sources without labels
  std::optional<uint64_t> head_bytes;

  SampleOrigin origin() const { return {object, offset_bytes, length_bytes}; }
};

/// One sample as stored: compressed, undecoded.
struct Record {
  std::vector<tensor::Tensor> fields;  // num_fields() tensors, in the order that the source's header lists
  SampleOrigin origin;
  int64_t index = 0;
};

struct ReadFlags {
  size_t padding_bytes = storage::kDecoderPaddingBytes;
  std::shared_ptr<memory::MemoryResource> resource;  // host-accessible; null: memory::host_pool()
  /// Promises that nobody writes to the record, so its bytes may be the store's own, without a copy, in
  /// read-only buffers. `resource` must be null.
  bool may_be_view = false;
  /// With may_be_view: reads only what lies in the store's memory (see storage::ReadRequest), else fails with
  /// failed_precondition or unimplemented.
  bool only_resident = false;
  /// Reserves memory for a sample of which only the head says how much that is (SampleLocation::head_bytes);
  /// thread safe. Its error is read()'s, as it is; what it gives is attached to the record's buffer. Empty:
  /// nothing is counted.
  std::function<Result<Reservation>(uint64_t bytes)> reserve;
  storage::CallContext context;
};

/// A range that reading a sample will fetch, and its store.
struct PlannedRead {
  const storage::ObjectStore* store;
  storage::PlannedRange range;
};

using RecordCallback = absl::AnyInvocable<void(Result<Record>)>;

/// Immutable once made; thread safe. Must live until its last callback has been called.
class Source {
 public:
  virtual ~Source() = default;

  /// The number of samples; at least 1.
  virtual int64_t size() const = 0;

  virtual int num_fields() const = 0;

  /// Returns where sample `index` is; out_of_range if there is no such sample. No I/O.
  virtual Result<SampleLocation> locate(int64_t index) const = 0;

  /// As locate(), where one field of the sample is: for errors of who works on it.
  virtual Result<SampleLocation> locate_field(int64_t index, int /*field*/) const { return locate(index); }

  /// Reads sample `index`. `done` is called once: inline if the bytes are at hand, otherwise on a thread of
  /// the store. Errors carry an ErrorContext with the sample's index and origin: not_found if the object has
  /// been removed since indexing, data_loss if it has shrunk or its content is broken, otherwise the store's
  /// error.
  virtual void read(int64_t index, const ReadFlags& flags, RecordCallback done) const = 0;

  /// Appends the ranges that reading sample `index` will fetch. No I/O.
  virtual void plan(int64_t index, std::vector<PlannedRead>* reads) const = 0;

  /// How many samples there are in each of the shards that they are stored in, in the order of their numbers;
  /// empty if they are not in shards. No I/O.
  virtual std::vector<uint64_t> stored_shards() const { return {}; }

  /// How long each sample is, for orders that bring like lengths together (bucket_by_length): all of them in
  /// one unit, whichever it is; here the bytes that reading it fetches. No I/O.
  virtual std::vector<uint64_t> lengths() const;

  /// The stores that hold the samples.
  virtual std::vector<std::shared_ptr<storage::ObjectStore>> stores() const = 0;
};

/// Blocks until the sample's record has been read. For tools, tests and replay; never call it on the engine's
/// threads.
Result<Record> read_now(const Source& source, int64_t index, const ReadFlags& flags = {});

}  // namespace forebay::dataset
