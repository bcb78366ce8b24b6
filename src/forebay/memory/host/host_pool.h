// The host memory pool that buffers come from. It exists because large blocks are expensive to get from the
// system: every page is zeroed and faulted in, which for a batch of images costs as much as resizing some of
// them.
//
// Blocks above kLargestSmall come from mmap, in eight size classes per doubling, and are kept for the next
// request of their class. Smaller ones are left to the C library, which caches them per thread.
//
// The memory it keeps is bounded: bytes in use plus bytes kept never exceed the recent peak of bytes in use
// by more than `slack_bytes`. So a steady program reuses everything; the process never grows past its own
// peak (plus slack); and after a change of sizes or load the excess goes back to the system, least recently
// used class first.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

struct HostPoolOptions {
  size_t slack_bytes = size_t{32} << 20;
  /// The peak is remembered for one to two windows of this many requests (> 0). So an old peak is forgotten,
  /// but not between two peaks of a steady program.
  uint64_t window_requests = 16384;
};

struct HostPoolStatistics {
  uint64_t in_use_bytes = 0;    // blocks above kLargestSmall, rounded up to their class
  uint64_t kept_bytes = 0;      // free and ready for the next request
  uint64_t peak_bytes = 0;      // recent peak of in_use_bytes
  uint64_t hits = 0;            // requests served by a kept block
  uint64_t misses = 0;          // requests served by the system
  uint64_t waiting_blocks = 0;  // freed blocks, small ones included, that a device queue may still use
};

/// Thread safe. The process's pool may be used on both sides of a fork.
class HostPool final : public MemoryResource {
 public:
  static constexpr size_t kLargestSmall = size_t{32} << 10;

  explicit HostPool(const HostPoolOptions& options = {});
  ~HostPool() override;

  /// resource_exhausted if the system has no memory even after everything kept was returned to it.
  Result<void*> allocate(size_t bytes) override;
  /// Like allocate, with all bytes zero; fresh pages from the system are zero without being touched.
  Result<void*> allocate_zeroed(size_t bytes);
  /// A block whose `last_use` is not over is set aside. Later requests and frees, of any size, check some of
  /// the blocks set aside.
  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override;
  MemoryKind kind() const override { return MemoryKind::kHost; }
  std::string_view name() const override { return "host pool"; }

  /// Returns all kept blocks to the system, forgets the peak, and returns the number of bytes returned.
  size_t trim();
  HostPoolStatistics statistics() const;

  /// How many bytes a request takes, rounded up to its class.
  static size_t rounded_bytes(size_t bytes);

  /// For fork handlers: takes and releases all locks.
  void lock_all() FOREBAY_ACQUIRE(waiting_mutex_);
  void unlock_all() FOREBAY_RELEASE(waiting_mutex_);

 private:
  static constexpr size_t kClasses = 256;
  static constexpr size_t kShards = 16;

  struct SizeClass {
    std::vector<void*> blocks;          // guarded by the class's shard; the last one is the warmest in cache
    std::atomic<uint64_t> last_use{0};  // tick of its last request or free
    std::atomic<uint32_t> block_count{0};  // size of `blocks`, readable without the lock
  };
  struct Waiting {
    void* pointer = nullptr;
    size_t bytes = 0;
    Fence last_use;
  };

  static size_t class_of(size_t bytes);
  static size_t class_bytes(size_t index);
  std::mutex& shard_of(size_t index) { return shards_[index % kShards]; }
  Result<void*> take(size_t bytes, bool zeroed);
  Result<void*> take_small(size_t bytes, bool zeroed);
  void* take_kept(size_t index);
  void* map_fresh(size_t bytes);
  void* take_oldest(size_t& index);
  void keep(size_t index, void* pointer);
  void give_back_excess();
  void note_use(size_t bytes);
  uint64_t allowed_bytes() const;
  bool keep_aside(const Waiting& block);
  void take_back_waiting(size_t looks);

  const HostPoolOptions options_;
  // Without annotations: the analysis cannot express "the shard of this class".
  std::array<std::mutex, kShards> shards_;
  std::array<SizeClass, kClasses> classes_;
  Mutex waiting_mutex_;
  std::vector<Waiting> waiting_ FOREBAY_GUARDED_BY(waiting_mutex_);
  size_t next_look_ FOREBAY_GUARDED_BY(waiting_mutex_) = 0;
  std::atomic<size_t> waiting_count_{0};
  std::atomic<uint64_t> in_use_bytes_{0};
  std::atomic<uint64_t> kept_bytes_{0};
  std::atomic<uint64_t> peak_now_{0};     // in the current window of requests
  std::atomic<uint64_t> peak_before_{0};  // in the previous window
  std::atomic<uint64_t> requests_{0};
  std::atomic<uint64_t> tick_{0};
  std::atomic<uint64_t> hits_{0};
  std::atomic<uint64_t> misses_{0};
};

/// The pool behind host_pool(). Never destroyed.
HostPool& process_host_pool();

}  // namespace forebay::memory
