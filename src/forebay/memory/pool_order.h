// How BasicPool keeps queues in order. Part of pool_definitions.h.
//
// Time on a queue is cut into epochs; recording a point ends one. A block is stamped with the epoch in which
// it came back, so a point recorded in that epoch or later is behind its last use, and giving a block back
// records nothing.
#pragma once

#include <optional>

#include "forebay/memory/device_driver.h"
#include "forebay/memory/pool.h"

namespace forebay::memory {

template <class Checks, class Ordering>
RecordedPoint BasicPool<Checks, Ordering>::record_point(PoolQueue& queue) {
  RecordedPoint point;
  {
    // The epoch ends before the point is recorded: what is stamped with it was used before the point.
    std::lock_guard lock(queue.lock);
    point.epoch = queue.epoch++;
  }
  const Result<Fence> fence = record(queue.queue.driver, queue.queue.queue);
  point.sequence = fence.ok() ? fence->sequence : 0;  // a driver that is gone uses nothing any more
  ++counts_.events;
  queue.points.add(point);
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

template <class Checks, class Ordering>
void BasicPool<Checks, Ordering>::wait_behind(PoolQueue& queue, const Fence& fence) {
  ++counts_.waits;
  if (!wait_on_queue(queue.queue.driver, queue.queue.queue, fence).ok()) {
    (void)wait(fence);  // a driver that is gone uses nothing any more
  }
}

// Later work of `queue` comes after the last use of a block that `victim` gave back.
template <class Checks, class Ordering>
void BasicPool<Checks, Ordering>::order_behind(PoolQueue& queue, PoolQueue& victim, const Stamp& stamp) {
  if (queue.known.size() <= victim.id) {
    queue.known.resize(victim.id + size_t{1});
  }
  uint64_t& known = queue.known[victim.id];
  if (known >= stamp.epoch || (known > 0 && !Ordering::enforces(OrderingSite::kKnown))) {
    return;
  }
  if (stamp.sequence != 0) {
    wait_behind(queue, fence_behind(victim, stamp));
    return;
  }
  const RecordedPoint point = point_behind(victim, stamp.epoch);
  wait_behind(queue,
              {.driver = victim.queue.driver, .queue = victim.queue.queue, .sequence = point.sequence});
  known = point.epoch;
}

// Makes everybody's what the queues have finished with.
template <class Checks, class Ordering>
void BasicPool<Checks, Ordering>::settle() {
  for (OwnerId id = 1; id <= queue_count_; ++id) {
    if (queue_by_id(id).owner != kEverybody && heap_.free_units(id) > 0) {
      settle_queue(queue_by_id(id));
    }
  }
}

template <class Checks, class Ordering>
void BasicPool<Checks, Ordering>::settle_queue(PoolQueue& queue) {
  uint64_t passed = 0;       // the latest point known to have passed,
  uint64_t waiting = ~0ULL;  // the earliest known not to have
  for (const BlockId id : heap_.free_blocks(queue.owner)) {
    Block& block = heap_.block(id);
    const Fence fence = fence_behind(queue, block.last_use);
    if (fence.sequence >= waiting) {
      continue;
    }
    if (fence.sequence > passed && Ordering::enforces(OrderingSite::kSettle)) {
      const Result<bool> answer = has_passed(fence);
      if (answer.ok() && !*answer) {
        waiting = fence.sequence;
        continue;
      }
      passed = fence.sequence;
    }
    block.last_use = Stamp{};
    heap_.move(id, kEverybody);
  }
}

// Makes the queue's all that is free, behind all work of the queues that gave it back; the host waits.
template <class Checks, class Ordering>
void BasicPool<Checks, Ordering>::gather(PoolQueue& queue) {
  for (OwnerId id = 1; id <= queue_count_; ++id) {
    PoolQueue& victim = queue_by_id(id);
    if (victim.owner == queue.owner || victim.owner == kEverybody || heap_.free_units(id) == 0) {
      continue;
    }
    const RecordedPoint point = record_point(victim);
    if (Ordering::enforces(OrderingSite::kGather)) {
      wait_behind(queue,
                  {.driver = victim.queue.driver, .queue = victim.queue.queue, .sequence = point.sequence});
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
  const RecordedPoint point = record_point(*found);
  (void)wait({.driver = queue.driver, .queue = queue.queue, .sequence = point.sequence});
  for (const BlockId id : heap_.free_blocks(found->owner)) {
    heap_.block(id).last_use = Stamp{};
    heap_.move(id, kEverybody);
  }
}

}  // namespace forebay::memory
