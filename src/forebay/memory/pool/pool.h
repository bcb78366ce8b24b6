// A pool divides large pieces of memory, from a resource or from reserved host address space, among many
// queues.
//
// Use it for memory that is slow to allocate (pinned, device, huge pages) or that device queues use. A block
// freed by a queue can be reused by that queue at once, even while work on it is pending, and by others only
// after that work. No event is recorded unless another queue really takes the block; one event then covers
// everything freed before it. docs/design/pool.md explains how.
//
// Buffers come from HostPool (host_pool.h) by default: it keeps whole host blocks and returns unused memory
// to the system, but knows no queues.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "forebay/memory/memory_resource.h"
#include "forebay/memory/pool/block_heap.h"
#include "forebay/memory/pool/piece_source.h"
#include "forebay/memory/pool/pool_checks.h"
#include "forebay/memory/pool/pool_ordering.h"
#include "forebay/memory/pool/pool_queue.h"

namespace forebay::memory {

struct PoolOptions {
  std::string name = "pool";
  /// Where memory comes from. Null: the host, in one range of address space reserved up front, so that new
  /// memory is always adjacent to the existing memory.
  std::shared_ptr<MemoryResource> upstream;
  size_t maximum_bytes = 0;                // required; rounded up to pages
  size_t initial_bytes = 0;                // allocated at construction
  size_t growth_bytes = size_t{64} << 20;  // minimum size of each growth
  size_t cache_bytes = size_t{4} << 20;    // limit of each queue's cache; 0: no cache
  bool huge_pages = true;                  // without an upstream: ask for 2 MiB pages
};

struct PoolStatistics {
  uint64_t reserved_bytes = 0;  // currently held from the system or upstream
  uint64_t out_bytes = 0;       // allocated, rounded up to units of 256
  uint64_t cached_bytes = 0;    // in the caches of single queues
  uint64_t free_bytes = 0;      // in holes
  uint64_t peak_bytes = 0;      // peak of allocated plus cached bytes
  uint64_t holes = 0;
  uint64_t largest_hole_bytes = 0;
  uint64_t allocations = 0;  // successful ones
  uint64_t cache_hits = 0;   // allocations served by the queue's own cache
  uint64_t steals = 0;       // allocations served by a block that another queue freed
  uint64_t events = 0;       // points recorded; none while each block stays with its queue
  uint64_t waits = 0;        // times a queue or the host waited for a point
  uint64_t growths = 0;

  /// 0: all free memory is one hole; near 1: it is scattered in small holes.
  double fragmentation() const {
    return free_bytes == 0 ? 0
                           : 1 - static_cast<double>(largest_hole_bytes) / static_cast<double>(free_bytes);
  }
};

/// Thread safe. Blocks are multiples of 256 bytes, aligned to 256 if the upstream's pieces are.
///
/// allocate() serves the host and returns memory that nobody uses. allocate_on() serves a queue. A block is
/// freed with deallocate_on (last used by everything put on that queue so far) or with deallocate and a fence
/// that was recorded after the allocation; a trivial fence means that the queue it was allocated on used it
/// last. A caller that uses or frees a block on another queue must have ordered the two queues.
///
/// When nothing fits, the pool goes through these steps: return the queue's cache to the heap, take other
/// queues' blocks, grow, merge free blocks of all queues after all of their work, return free pieces upstream
/// so that a large enough one can be allocated. If all fail: resource_exhausted, listing the largest holes.
/// Driver calls (record, wait) are made under the pool's lock, but never for a block that stays with its
/// queue.
template <class Checks, class Ordering = StrictOrdering>
class BasicPool final : public MemoryResource {
 public:
  static constexpr size_t kMaxQueues = 256;

  /// invalid_argument for invalid options; resource_exhausted if there is no room for the tables or the
  /// initial bytes.
  static Result<std::shared_ptr<BasicPool>> create(PoolOptions options);
  /// Waits for the queues that use its free blocks; memory that cannot be waited for is freed when its use is
  /// over (memory/last_use.h). No block may still be allocated.
  ~BasicPool() override;
  BasicPool(const BasicPool&) = delete;
  BasicPool& operator=(const BasicPool&) = delete;

  Result<void*> allocate(size_t bytes) override;
  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override;
  /// Also resource_exhausted once kMaxQueues other queues use the pool.
  Result<void*> allocate_on(size_t bytes, Queue queue) override;
  void deallocate_on(void* pointer, size_t bytes, Queue queue) noexcept override;
  MemoryKind kind() const override { return source_->kind(); }
  std::string_view name() const override { return options_.name; }

  /// Returns free memory to the system or upstream, without waiting for any queue. Returns the number of
  /// bytes.
  size_t trim();
  /// Call it before a queue is destroyed: waits for the queue and makes its free blocks available to
  /// everybody.
  void forget(Queue queue);
  PoolStatistics statistics() const;
  /// What the checks found, at most 100 lines; empty without checks.
  std::vector<std::string> faults() const;

 private:
  static constexpr size_t kQueueSlots = 2 * kMaxQueues;

  explicit BasicPool(PoolOptions options, std::shared_ptr<PieceSource> source);

  // pool_definitions.h
  PoolQueue* find_or_make_queue(Queue queue) noexcept;
  Result<PoolQueue*> queue_of(Queue queue);
  PoolQueue* find_queue(Queue queue) const;
  PoolQueue& host_queue() noexcept;
  PoolQueue& queue_by_id(OwnerId id) const { return *queues_[id]; }
  Result<void*> take(uint64_t bytes, PoolQueue& queue);
  void give(BlockId id, PoolQueue& queue, uint64_t sequence);
  void give_back_on(BlockId id, Queue queue, uint64_t sequence);

  // pool_checking.h
  void check_out(BlockId id, uint64_t bytes);
  bool check_return(BlockId id, const void* pointer, uint64_t bytes);
  bool check_queue(BlockId id, Queue queue);
  void poison(BlockId id, const PoolQueue& queue);
  void add_fault(std::string line);
  void report_leaks();

  // pool_refill.h: all under mutex_.
  Result<BlockId> take_from_heap(PoolQueue& queue, uint32_t units);
  BlockId take_owned(const PoolQueue& queue, uint32_t units);
  BlockId take_or_absorb(const PoolQueue& queue, uint32_t units);
  BlockId take_from_others(PoolQueue& queue, uint32_t units);
  BlockId take_all(PoolQueue& queue, uint32_t units);
  bool flush(PoolQueue& queue);
  bool flush_all();
  bool grow(uint64_t bytes, const PoolQueue* queue);
  bool add_piece(size_t bytes);
  bool release_pieces(uint64_t bytes);
  void release(Slab& slab);
  size_t shrink_tail();
  Status exhausted(const PoolQueue& queue, uint32_t units) const;

  // pool_order.h: all under mutex_.
  RecordedPoint record_point(PoolQueue& queue);
  RecordedPoint point_behind(PoolQueue& queue, uint64_t epoch);
  Fence fence_behind(PoolQueue& queue, const Stamp& stamp);
  bool wait_behind(PoolQueue& queue, const Fence& fence);
  bool order_behind(PoolQueue& queue, PoolQueue& victim, const Stamp& stamp);
  void share_finished();
  void share_finished_of(PoolQueue& queue);
  void gather(PoolQueue& queue);
  std::vector<Fence> uses_of_free_blocks() const;

  const PoolOptions options_;
  const std::shared_ptr<PieceSource> source_;
  BlockHeap<Ordering> heap_;  // guarded by mutex_, with BlockHeap's exceptions
  std::array<std::atomic<PoolQueue*>, kQueueSlots> queue_slots_{};

  // Never locked while holding a queue's lock. Without annotations: BlockHeap's exceptions, and the members
  // of a PoolQueue that its own lock guards, are beyond the analysis.
  mutable std::mutex mutex_;
  std::array<std::unique_ptr<PoolQueue>, kMaxQueues + 1> queues_;  // by id, from 1
  OwnerId queue_count_ = 0;
  std::vector<std::unique_ptr<Slab>> slabs_;
  PoolStatistics counts_;  // counts what the heap handed out; the rest is computed on demand
  Status refusal_;         // the upstream's last error
  mutable std::mutex faults_mutex_;
  std::vector<std::string> faults_;
};

using Pool = BasicPool<NoPoolChecks>;
using CheckedPool = BasicPool<AllPoolChecks>;

extern template class BasicPool<NoPoolChecks>;
extern template class BasicPool<AllPoolChecks>;

}  // namespace forebay::memory
