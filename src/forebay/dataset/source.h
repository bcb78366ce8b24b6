// A source is random access to samples: an index of where each one's bytes lie, and reads of any one by its
// number. It knows no order, no shard and no batch; those are arithmetic (order.h).
//
// The fields of a record share the bytes that were read; nothing is copied on the way. Behind a tensor's
// bytes, zeros or bytes of the same object follow, so reading `padding_bytes` past any field stays within the
// buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
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

/// Where the bytes of one sample lie. `length_bytes` is what a read will fetch: what a budget reserves.
struct SampleLocation {
  std::string object;  // path or URI as users write it
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
  int64_t label = 0;  // 0 for sources without labels

  SampleOrigin origin() const { return {object, offset_bytes, length_bytes}; }
};

/// One sample as it is stored: compressed, undecoded.
struct Record {
  std::vector<tensor::Tensor> fields;  // as many as the source's num_fields(), in the order its header names
  SampleOrigin origin;
  int64_t index = 0;
};

struct ReadFlags {
  size_t padding_bytes = storage::kDecoderPaddingBytes;
  std::shared_ptr<memory::MemoryResource> resource;  // host-accessible; null: memory::host_pool()
  /// Nobody will write to the record, so that its bytes may be those that the store keeps, without a copy.
  bool may_be_view = false;
  storage::CallContext context;
};

/// A part of what the read of a sample fetches, and from where.
struct PlannedRead {
  const storage::ObjectStore* store;
  storage::PlannedRange range;
};

using RecordCallback = absl::AnyInvocable<void(Result<Record>)>;

/// Immutable once made; thread safe. Lives until its last callback was called.
class Source {
 public:
  virtual ~Source() = default;

  /// Number of samples; at least 1.
  virtual int64_t size() const = 0;

  virtual int num_fields() const = 0;

  /// out_of_range when there is no such sample. No I/O.
  virtual Result<SampleLocation> locate(int64_t index) const = 0;

  /// Reads sample `index`. `done` is called once: inline when the bytes are at hand, else on a thread of the
  /// store. Errors carry an ErrorContext with the sample's index and origin: not_found when the object has
  /// gone since it was indexed, data_loss when it has shrunk or its content is broken, else what the store
  /// says.
  virtual void read(int64_t index, const ReadFlags& flags, RecordCallback done) const = 0;

  /// Appends what a read of sample `index` will fetch. No I/O.
  virtual void plan(int64_t index, std::vector<PlannedRead>* reads) const = 0;

  /// The stores that hold the samples.
  virtual std::vector<std::shared_ptr<storage::ObjectStore>> stores() const = 0;
};

/// The sample's record, waiting for it. For tools, tests and replay; not for the engine's threads.
Result<Record> read_now(const Source& source, int64_t index, const ReadFlags& flags = {});

}  // namespace forebay::dataset
