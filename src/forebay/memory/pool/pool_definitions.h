// The definitions of BasicPool, for code that instantiates it with another policy than pool.cc does. This
// file has the path of a block out and back.
#pragma once

#include <algorithm>

#include "forebay/base/round_up.h"
#include "forebay/memory/last_use.h"
#include "forebay/memory/pool/pool.h"
#include "forebay/memory/pool/pool_checking.h"
#include "forebay/memory/pool/pool_order.h"
#include "forebay/memory/pool/pool_refill.h"

namespace forebay::memory {

namespace pool_detail {

constexpr uint64_t kMaxBytes = uint64_t{1} << 39;  // sizes in units have 32 bits

/// The number of host caches that threads share.
inline uint32_t host_slot() {
  constexpr uint32_t kHostSlots = 16;
  static std::atomic<uint32_t> next{0};
  static thread_local const uint32_t slot = next.fetch_add(1, std::memory_order_relaxed) % kHostSlots;
  return slot;
}

inline size_t slot_of(Queue queue, size_t slots) {
  return (queue.driver * 131 + queue.queue) % slots;
}

}  // namespace pool_detail

template <class Checks, class Ordering>
Result<std::shared_ptr<BasicPool<Checks, Ordering>>> BasicPool<Checks, Ordering>::create(
    PoolOptions options) {
  if (options.maximum_bytes == 0 || options.maximum_bytes > pool_detail::kMaxBytes) {
    return invalid_argument("pool '{}': maximum_bytes is {}; it must be from 1 to {}", options.name,
                            options.maximum_bytes, pool_detail::kMaxBytes);
  }
  if (options.initial_bytes > options.maximum_bytes) {
    return invalid_argument("pool '{}': {} initial bytes of at most {}", options.name, options.initial_bytes,
                            options.maximum_bytes);
  }
  std::shared_ptr<PieceSource> source;
  if (options.upstream) {
    source = pieces_of(options.upstream);
  } else {
    FOREBAY_ASSIGN_OR_RETURN(source, reserve_host_pieces(options.maximum_bytes, options.huge_pages));
  }
  const uint64_t initial_bytes = round_up<uint64_t>(options.initial_bytes, source->unit_bytes());
  options.maximum_bytes = round_up<uint64_t>(options.maximum_bytes, source->unit_bytes());
  std::shared_ptr<BasicPool> pool(new BasicPool(std::move(options), std::move(source)));
  FOREBAY_RETURN_IF_ERROR(pool->queue_of(Queue{}).status());
  std::lock_guard lock(pool->mutex_);
  if (!pool->heap_.is_usable()) {
    return resource_exhausted("pool '{}': no address space for its tables", pool->options_.name);
  }
  if (initial_bytes > 0 && !pool->add_piece(initial_bytes)) {
    return annotate(pool->refusal_, "pool '" + pool->options_.name + "'");
  }
  return pool;
}

template <class Checks, class Ordering>
BasicPool<Checks, Ordering>::BasicPool(PoolOptions options, std::shared_ptr<PieceSource> source)
    : options_(std::move(options)), source_(std::move(source)), heap_(options_.maximum_bytes) {
}

template <class Checks, class Ordering>
BasicPool<Checks, Ordering>::~BasicPool() {
  report_leaks();
  PoolQueue& host = host_queue();
  std::lock_guard lock(mutex_);
  flush_all();
  gather(host);
  auto give_back = [source = source_, slabs = std::move(slabs_)] {
    for (const std::unique_ptr<Slab>& slab : slabs) {
      source->shrink(slab->start, slab->bytes, Fence{});
    }
  };
  std::vector<Fence> uses = uses_of_free_blocks();
  if (uses.empty()) {
    give_back();
  } else {
    keep_until_over(std::move(uses), std::move(give_back));
  }
}

template <class Checks, class Ordering>
PoolQueue* BasicPool<Checks, Ordering>::find_queue(Queue queue) const {
  for (size_t slot = pool_detail::slot_of(queue, kQueueSlots);; slot = (slot + 1) % kQueueSlots) {
    PoolQueue* const found = queue_slots_[slot].load(std::memory_order_acquire);
    if (found == nullptr || found->queue == queue) {
      return found;
    }
  }
}

// Null if the table is full or memory has run out: blocks must come back all the same.
template <class Checks, class Ordering>
PoolQueue* BasicPool<Checks, Ordering>::find_or_make_queue(Queue queue) noexcept {
  if (PoolQueue* const found = find_queue(queue)) {
    return found;
  }
  std::lock_guard lock(mutex_);
  if (PoolQueue* const found = find_queue(queue)) {
    return found;
  }
  if (queue_count_ == kMaxQueues) {
    return nullptr;
  }
  const auto id = static_cast<OwnerId>(queue_count_ + 1);
  try {
    heap_.add_owner(id);
    queues_[id] = std::make_unique<PoolQueue>(queue, id, options_.cache_bytes / kUnitBytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  queue_count_ = id;
  size_t slot = pool_detail::slot_of(queue, kQueueSlots);
  while (queue_slots_[slot].load(std::memory_order_relaxed) != nullptr) {
    slot = (slot + 1) % kQueueSlots;
  }
  queue_slots_[slot].store(queues_[id].get(), std::memory_order_release);
  return queues_[id].get();
}

template <class Checks, class Ordering>
Result<PoolQueue*> BasicPool<Checks, Ordering>::queue_of(Queue queue) {
  if (PoolQueue* const found = find_or_make_queue(queue)) {
    return found;
  }
  return resource_exhausted("pool '{}' has no room for another queue; it serves at most {}", options_.name,
                            kMaxQueues);
}

// The calling thread's host queue; another thread's if there is no room for it.
template <class Checks, class Ordering>
PoolQueue& BasicPool<Checks, Ordering>::host_queue() noexcept {
  PoolQueue* const own = find_or_make_queue({.driver = 0, .queue = pool_detail::host_slot()});
  return own != nullptr ? *own : *find_queue({.driver = 0, .queue = 0});
}

template <class Checks, class Ordering>
Result<void*> BasicPool<Checks, Ordering>::allocate(size_t bytes) {
  return take(bytes, host_queue());
}

template <class Checks, class Ordering>
Result<void*> BasicPool<Checks, Ordering>::allocate_on(size_t bytes, Queue queue) {
  FOREBAY_ASSIGN_OR_RETURN(PoolQueue* const found, queue_of(queue));
  return take(bytes, *found);
}

template <class Checks, class Ordering>
Result<void*> BasicPool<Checks, Ordering>::take(uint64_t bytes, PoolQueue& queue) {
  if (bytes > options_.maximum_bytes) [[unlikely]] {
    return resource_exhausted("{} bytes requested from pool '{}', whose maximum is {}", bytes, options_.name,
                              options_.maximum_bytes);
  }
  const auto units = static_cast<uint32_t>(std::max<uint64_t>(1, (bytes + kUnitBytes - 1) / kUnitBytes));
  BlockId id = kNoBlock;
  {
    std::lock_guard lock(queue.lock);
    id = queue.cache.take(units, heap_);
    if (id != kNoBlock) {
      ++queue.cache_hits;
      queue.cached_units += heap_.block(id).units;
    }
  }
  if (id == kNoBlock) {
    std::lock_guard lock(mutex_);
    FOREBAY_ASSIGN_OR_RETURN(id, take_from_heap(queue, units));
  }
  Block& block = heap_.block(id);
  block.user = queue.id;
  block.is_clean = false;
  check_out(id, bytes);
  return block.start;
}

template <class Checks, class Ordering>
void BasicPool<Checks, Ordering>::deallocate(void* pointer, size_t bytes, Fence last_use) noexcept {
  const BlockId id = heap_.find(pointer);
  if (!check_return(id, pointer, bytes)) {
    return;
  }
  const bool is_host_done = last_use.is_trivial() || !Ordering::enforces(OrderingSite::kExplicit);
  if (!is_host_done) {
    give_back_on(id, {.driver = last_use.driver, .queue = last_use.queue}, last_use.sequence);
    return;
  }
  PoolQueue& user = queue_by_id(heap_.block(id).user);
  const bool may_be_used = user.owner != kEverybody && Ordering::enforces(OrderingSite::kAllocated);
  give(id, may_be_used ? user : host_queue(), 0);
}

template <class Checks, class Ordering>
void BasicPool<Checks, Ordering>::deallocate_on(void* pointer, size_t bytes, Queue queue) noexcept {
  const BlockId id = heap_.find(pointer);
  if (check_return(id, pointer, bytes)) {
    give_back_on(id, queue, 0);
  }
}

template <class Checks, class Ordering>
void BasicPool<Checks, Ordering>::give_back_on(BlockId id, Queue queue, uint64_t sequence) {
  if (!check_queue(id, queue)) {
    return;
  }
  PoolQueue* const found = find_or_make_queue(queue);
  if (found != nullptr) [[likely]] {
    give(id, *found, sequence);
    return;
  }
  // The table has no room for this queue, so the host waits for it instead. If it cannot, the block stays
  // allocated.
  if (wait_until_over(end_of_queue(queue.driver, queue.queue))) {
    give(id, host_queue(), 0);
  }
}

template <class Checks, class Ordering>
void BasicPool<Checks, Ordering>::give(BlockId id, PoolQueue& queue, uint64_t sequence) {
  Block& block = heap_.block(id);
  poison(id, queue);
  {
    std::lock_guard lock(queue.lock);
    block.last_use = queue.owner == kEverybody ? Stamp{} : Stamp{.epoch = queue.epoch, .sequence = sequence};
    queue.given_units += block.units;
    if (queue.cache.put(id, heap_)) {
      return;
    }
  }
  std::lock_guard lock(mutex_);
  heap_.put(id, queue.owner);
}

template <class Checks, class Ordering>
PoolStatistics BasicPool<Checks, Ordering>::statistics() const {
  std::lock_guard lock(mutex_);
  PoolStatistics found = counts_;
  for (OwnerId id = 1; id <= queue_count_; ++id) {
    PoolQueue& queue = *queues_[id];
    std::lock_guard queue_lock(queue.lock);
    found.allocations += queue.cache_hits;
    found.cache_hits += queue.cache_hits;
    found.cached_bytes += queue.cache.units() * kUnitBytes;
    // May wrap around in between; the sum is right.
    found.out_bytes += (queue.cached_units - queue.given_units) * kUnitBytes;
  }
  for (OwnerId owner = 0; owner < heap_.owners(); ++owner) {
    for (const BlockId id : heap_.free_blocks(owner)) {
      ++found.holes;
      found.largest_hole_bytes = std::max(found.largest_hole_bytes, heap_.block(id).units * kUnitBytes);
    }
  }
  found.free_bytes = heap_.free_units() * kUnitBytes;
  return found;
}

template <class Checks, class Ordering>
std::vector<std::string> BasicPool<Checks, Ordering>::faults() const {
  std::lock_guard lock(faults_mutex_);
  return faults_;
}

}  // namespace forebay::memory
