// How BasicPool keeps queues in order. Part of pool_definitions.h.
//
// Time on a queue is divided into epochs; recording a point ends one. A freed block is stamped with the
// current epoch, so a point recorded in that epoch or later is behind its last use. Freeing a block records
// nothing.
#pragma once

#include <optional>

#include "forebay/memory/device_driver.h"
#include "forebay/memory/device_graph.h"
#include "forebay/memory/last_use.h"
#include "forebay/memory/pool/pool.h"

namespace forebay::memory {

template <class Checks, class Ordering>
RecordedPoint BasicPool<Checks, Ordering>::record_point(PoolQueue& queue) {
  RecordedPoint point;
  {
    // End the epoch before recording the point: whatever has its stamp was used before the point.
    std::lock_guard lock(queue.lock);
    point.epoch = queue.epoch++;
  }
  point.sequence = end_of_queue(queue.queue.driver, queue.queue.queue).sequence;
  ++counts_.events;
  if (point.sequence != kEndOfQueue) {
    queue.points.add(point);  // otherwise the next caller tries again
  }
  return point;
}

template <class Checks, class Ordering>
RecordedPoint BasicPool<Checks, Ordering>::point_behind(PoolQueue& queue, uint64_t epoch) {
  const std::optional<RecordedPoint> point = queue.points.covering<Ordering>(epoch);
  return point ? *point : record_point(queue);
}

template <class Checks, class Ordering>
Fence BasicPool<Checks, Ordering>::fence_behind(PoolQueue& queue, const Stamp& stamp) {
  if (queue.owner == kEverybody || stamp.epoch == 0) {
    return Fence{};
  }
  const uint64_t sequence = stamp.sequence != 0 ? stamp.sequence : point_behind(queue, stamp.epoch).sequence;
  return {.driver = queue.queue.driver, .queue = queue.queue.queue, .sequence = sequence};
}

// Returns false if neither the queue nor the host can be made to wait: the work behind the fence may still be
// running.
template <class Checks, class Ordering>
bool BasicPool<Checks, Ordering>::wait_behind(PoolQueue& queue, const Fence& fence) {
  if (fence.is_trivial()) {
    return true;
  }
  if (is_capturing()) {
    return false;
  }
  ++counts_.waits;
  return wait_on_queue(queue.queue.driver, queue.queue.queue, fence).ok() || wait_until_over(fence);
}

// Orders later work of `queue` after the last use of a block that `victim` freed; false if that is
// impossible.
template <class Checks, class Ordering>
bool BasicPool<Checks, Ordering>::order_behind(PoolQueue& queue, PoolQueue& victim, const Stamp& stamp) {
  if (queue.known.size() <= victim.id) {
    queue.known.resize(victim.id + size_t{1});
  }
  uint64_t& known = queue.known[victim.id];
  if (known >= stamp.epoch || (known > 0 && !Ordering::enforces(OrderingSite::kKnown))) {
    return true;
  }
  if (stamp.sequence != 0) {
    return wait_behind(queue, fence_behind(victim, stamp));
  }
  const RecordedPoint point = point_behind(victim, stamp.epoch);
  const Fence fence{.driver = victim.queue.driver, .queue = victim.queue.queue, .sequence = point.sequence};
  if (!wait_behind(queue, fence)) {
    return false;
  }
  known = point.epoch;
  return true;
}

// Gives everybody the free blocks that queues have finished using.
template <class Checks, class Ordering>
void BasicPool<Checks, Ordering>::share_finished() {
  for (OwnerId id = 1; id <= queue_count_; ++id) {
    if (queue_by_id(id).owner != kEverybody && heap_.free_units(id) > 0) {
      share_finished_of(queue_by_id(id));
    }
  }
}

template <class Checks, class Ordering>
void BasicPool<Checks, Ordering>::share_finished_of(PoolQueue& queue) {
  uint64_t passed = 0;       // the latest point known to have passed
  uint64_t waiting = ~0ULL;  // the earliest point known not to have passed
  for (const BlockId id : heap_.free_blocks(queue.owner)) {
    Block& block = heap_.block(id);
    const Fence fence = fence_behind(queue, block.last_use);
    if (fence.sequence >= waiting) {
      continue;
    }
    if (fence.sequence > passed && Ordering::enforces(OrderingSite::kShare)) {
      if (!is_over(fence)) {
        waiting = fence.sequence;
        continue;
      }
      passed = fence.sequence;
    }
    block.last_use = Stamp{};
    heap_.move(id, kEverybody);
  }
}

// Gives `queue` all free blocks after the host has waited for all work of the queues that freed them. Blocks
// that cannot be waited for stay.
template <class Checks, class Ordering>
void BasicPool<Checks, Ordering>::gather(PoolQueue& queue) {
  for (OwnerId id = 1; id <= queue_count_; ++id) {
    PoolQueue& victim = queue_by_id(id);
    if (victim.owner == queue.owner || victim.owner == kEverybody || heap_.free_units(id) == 0) {
      continue;
    }
    const RecordedPoint point = record_point(victim);
    const Fence fence{.driver = victim.queue.driver, .queue = victim.queue.queue, .sequence = point.sequence};
    if (Ordering::enforces(OrderingSite::kGather) && !wait_behind(queue, fence)) {
      continue;
    }
    Stamp stamp;
    if (queue.owner != kEverybody) {
      std::lock_guard lock(queue.lock);
      stamp.epoch = queue.epoch;
    }
    for (const BlockId block : heap_.free_blocks(victim.owner)) {
      heap_.block(block).last_use = stamp;
      heap_.move(block, queue.owner);
    }
  }
  if (queue.owner != kEverybody) {
    heap_.absorb(queue.owner);
  }
}

// The ends of the queues whose blocks gather() had to leave.
template <class Checks, class Ordering>
std::vector<Fence> BasicPool<Checks, Ordering>::uses_of_free_blocks() const {
  std::vector<Fence> uses;
  for (OwnerId id = 1; id <= queue_count_; ++id) {
    const PoolQueue& queue = queue_by_id(id);
    if (queue.owner != kEverybody && heap_.free_units(id) > 0) {
      uses.push_back({.driver = queue.queue.driver, .queue = queue.queue.queue, .sequence = kEndOfQueue});
    }
  }
  return uses;
}

template <class Checks, class Ordering>
void BasicPool<Checks, Ordering>::forget(Queue queue) {
  PoolQueue* const found = find_queue(queue);
  if (found == nullptr) {
    return;
  }
  std::lock_guard lock(mutex_);
  flush(*found);
  if (found->owner == kEverybody || heap_.free_units(found->owner) == 0) {
    return;
  }
  if (!wait_until_over(end_of_queue(queue.driver, queue.queue))) {
    return;  // they stay with the queue, and are tried again when memory is short
  }
  for (const BlockId id : heap_.free_blocks(found->owner)) {
    heap_.block(id).last_use = Stamp{};
    heap_.move(id, kEverybody);
  }
}

}  // namespace forebay::memory
