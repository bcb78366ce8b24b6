// The slabs of shared memory that a worker writes its outputs to, as its parent sees them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/memory/buffer.h"
#include "forebay/serving/processes/shared_slab.h"

namespace forebay::serving {

/// A slab is the worker's until it answers with it, then ours until the last user of the outputs has dropped
/// them; the next request tells the worker. Thread safe; shared by the worker's link and by the buffers,
/// which may outlive the link.
class WorkerSlabs : public std::enable_shared_from_this<WorkerSlabs> {
 public:
  /// `most_bytes` bounds all slabs together.
  explicit WorkerSlabs(uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /// A slab that the worker has made. invalid_argument for a number that is taken, or 0, and for memory that
  /// is not sealed; resource_exhausted beyond the limit of bytes or of slabs: then the slab is known, free,
  /// and cannot be used.
  Status add(uint64_t number, FileDescriptor file, uint64_t bytes) FOREBAY_EXCLUDES(mutex_);
  /// All of a slab. invalid_argument unless the worker may use it now; resource_exhausted for one beyond the
  /// limit.
  Result<memory::BufferRef> use(uint64_t number) FOREBAY_EXCLUDES(mutex_);
  /// The worker has unmapped these, which were free.
  Status drop(const std::vector<uint64_t>& numbers) FOREBAY_EXCLUDES(mutex_);
  /// The slabs that have become free since the last call.
  std::vector<uint64_t> take_freed() FOREBAY_EXCLUDES(mutex_);

  /// Whether users hold so much that outputs should be copied out of their slab, so that the worker need not
  /// make more.
  bool is_scarce() const FOREBAY_EXCLUDES(mutex_);

 private:
  enum class Owner { kWorker, kUsers };
  struct Slab {
    std::shared_ptr<SharedSlab> memory;  // none: beyond the limit
    Owner owner = Owner::kWorker;
  };

  Status know_as_useless(uint64_t number, Status why) FOREBAY_REQUIRES(mutex_);
  void give_back(uint64_t number) FOREBAY_EXCLUDES(mutex_);

  const uint64_t most_bytes_;
  mutable Mutex mutex_;
  std::map<uint64_t, Slab> slabs_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<uint64_t> freed_ FOREBAY_GUARDED_BY(mutex_);
  uint64_t mapped_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  uint64_t used_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  size_t used_count_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace forebay::serving
