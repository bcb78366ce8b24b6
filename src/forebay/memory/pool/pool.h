// A pool: big pieces of memory from a resource, or address space of the host, cut up for many queues.
//
// It is for memory that is dear to get (pinned, device, huge pages) or that queues of a device use: a block
// that a queue gave back is handed to that queue again at once, though work on it may be pending, and to
// others only behind that work. No event is recorded for that unless another queue really takes the block;
// one event then serves all that was given back before it. docs/design/pool.md says how.
//
// Buffers come from HostPool (host_pool.h) unless told otherwise: it keeps whole host blocks and gives what
// is not used back to the system; it knows no queues.
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
  /// Where memory comes from. None: the host, in one run of address space that is reserved at once, so that
  /// what the pool grows by always joins what it has.
  std::shared_ptr<MemoryResource> upstream;
  size_t maximum_bytes = 0;                // must be set; rounded up to pages
  size_t initial_bytes = 0;                // taken at once
  size_t growth_bytes = size_t{64} << 20;  // least that is taken when more is needed
  size_t cache_bytes = size_t{4} << 20;    // most that is kept apart for each queue; 0: nothing
  bool huge_pages = true;                  // without an upstream: ask for pages of 2 MiB
};

struct PoolStatistics {
  uint64_t reserved_bytes = 0;  // from the system or upstream now
  uint64_t out_bytes = 0;       // handed out, rounded to units of 256
  uint64_t cached_bytes = 0;    // kept for one queue each
  uint64_t free_bytes = 0;      // in holes
  uint64_t peak_bytes = 0;      // most that was handed out or cached
  uint64_t holes = 0;
  uint64_t largest_hole_bytes = 0;
  uint64_t allocations = 0;  // that succeeded
  uint64_t cache_hits = 0;   // of these, met by the queue's own cache
  uint64_t steals = 0;       // of these, met by a block that another queue gave back
  uint64_t events = 0;       // points recorded; none while each block stays with its queue
  uint64_t waits = 0;        // of a queue or the host for a point
  uint64_t growths = 0;

  /// 0: all free memory is one hole; towards 1: it lies in crumbs.
  double fragmentation() const {
    return free_bytes == 0 ? 0
                           : 1 - static_cast<double>(largest_hole_bytes) / static_cast<double>(free_bytes);
  }
};

/// Thread safe. Blocks are multiples of 256 bytes, aligned to 256 if the upstream's pieces are.
///
/// allocate() serves the host: what it gives is used by nobody. allocate_on() serves a queue. A block may
/// come back by deallocate_on (last used by all that was put on that queue until now), or by deallocate with
/// a fence that was recorded after it was handed out; a trivial fence means that the queue it was handed to
/// used it last. Who uses it on another queue than it was handed to, or gives it back there, has put the one
/// behind the other.
///
/// When nothing fits: what a queue's cache keeps goes back to the heap, then other queues' blocks are taken,
/// then the pool grows, then free blocks of all queues are joined behind all of their work, then free pieces
/// go back upstream so that one big enough may come. Then it is resource_exhausted, with the largest holes in
/// the text. Driver calls (record, wait) are made under the pool's lock, but never for a block that stays
/// with its queue.
template <class Checks, class Ordering = StrictOrdering>
class BasicPool final : public MemoryResource {
 public:
  static constexpr size_t kMostQueues = 256;

  /// invalid_argument for options that make no sense; resource_exhausted when there is no room for the tables
  /// or the initial bytes.
  static Result<std::shared_ptr<BasicPool>> create(PoolOptions options);
  /// Waits for the queues that use its free blocks; what cannot be waited for goes back when its use is over
  /// (memory/device/last_use.h). Nothing may be out.
  ~BasicPool() override;
  BasicPool(const BasicPool&) = delete;
  BasicPool& operator=(const BasicPool&) = delete;

  Result<void*> allocate(size_t bytes) override;
  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override;
  /// resource_exhausted also for the queue after kMostQueues others.
  Result<void*> allocate_on(size_t bytes, Queue queue) override;
  void deallocate_on(void* pointer, size_t bytes, Queue queue) noexcept override;
  MemoryKind kind() const override { return source_->kind(); }
  std::string_view name() const override { return options_.name; }

  /// Gives free memory back to the system or upstream; the bytes given back. Does not wait for any queue.
  size_t trim();
  /// Call before a queue is destroyed: waits for it and makes what it gave back everybody's.
  void forget(Queue queue);
  PoolStatistics statistics() const;
  /// What the checks found, at most 100 lines; empty without checks.
  std::vector<std::string> faults() const;

 private:
  static constexpr size_t kQueueSlots = 2 * kMostQueues;

  explicit BasicPool(PoolOptions options, std::shared_ptr<PieceSource> source);

  // pool_definitions.h
  Result<PoolQueue*> queue_of(Queue queue);
  PoolQueue* find_queue(Queue queue) const;
  PoolQueue& host_queue();
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
  void settle();
  void settle_queue(PoolQueue& queue);
  void gather(PoolQueue& queue);
  std::vector<Fence> uses_of_free_blocks() const;

  const PoolOptions options_;
  const std::shared_ptr<PieceSource> source_;
  BlockHeap<Ordering> heap_;  // guarded by mutex_, but for what BlockHeap says
  std::array<std::atomic<PoolQueue*>, kQueueSlots> queue_slots_{};

  mutable std::mutex mutex_;                                        // never taken by who holds a queue's lock
  std::array<std::unique_ptr<PoolQueue>, kMostQueues + 1> queues_;  // by id, from 1
  OwnerId queue_count_ = 0;
  std::vector<std::unique_ptr<Slab>> slabs_;
  PoolStatistics counts_;  // of what the heap handed out; the rest is worked out when asked for
  Status refusal_;         // the upstream's last
  mutable std::mutex faults_mutex_;
  std::vector<std::string> faults_;
};

using Pool = BasicPool<NoPoolChecks>;
using CheckedPool = BasicPool<AllPoolChecks>;

extern template class BasicPool<NoPoolChecks>;
extern template class BasicPool<AllPoolChecks>;

}  // namespace forebay::memory
