// What a pool keeps for each queue that uses it: a cache of blocks, and the points recorded on the queue.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "forebay/memory/memory_resource.h"
#include "forebay/memory/pool/block_heap.h"
#include "forebay/memory/spin_lock.h"

namespace forebay::memory {

/// Blocks that a queue freed and can reuse without the heap: a short stack for each size class. Blocks above
/// kLargestUnits are not kept. Not thread safe.
class QueueCache {
 public:
  static constexpr uint32_t kLargestUnits = (size_t{1} << 20) / kUnitBytes;
  static constexpr uint32_t kDepth = 8;

  explicit QueueCache(uint64_t most_units) : most_units_(most_units) {}

  /// Takes a block of at least `units`, at most one class larger; kNoBlock if there is none.
  template <class Heap>
  BlockId take(uint32_t units, const Heap& heap) {
    if (units > kLargestUnits) {
      return kNoBlock;
    }
    Stack& stack = stacks_[floor_class(units)];
    if (stack.count == 0 || heap.block(stack.ids[stack.count - 1]).units < units) {
      return kNoBlock;
    }
    const BlockId id = stack.ids[--stack.count];
    units_ -= heap.block(id).units;
    return id;
  }

  /// Returns false if the cache does not take it: too large, or full.
  template <class Heap>
  bool put(BlockId id, const Heap& heap) {
    const uint32_t units = heap.block(id).units;
    if (units > kLargestUnits || units_ + units > most_units_) {
      return false;
    }
    Stack& stack = stacks_[floor_class(units)];
    if (stack.count == kDepth) {
      return false;
    }
    stack.ids[stack.count++] = id;
    units_ += units;
    return true;
  }

  /// Moves all blocks to `blocks`.
  void empty_into(std::vector<BlockId>& blocks) {
    if (units_ == 0) {
      return;
    }
    for (Stack& stack : stacks_) {
      blocks.insert(blocks.end(), stack.ids.begin(), stack.ids.begin() + stack.count);
      stack.count = 0;
    }
    units_ = 0;
  }

  uint64_t units() const { return units_; }

 private:
  struct Stack {
    uint32_t count = 0;
    std::array<BlockId, kDepth> ids{};
  };

  const uint64_t most_units_;
  uint64_t units_ = 0;
  std::array<Stack, floor_class(kLargestUnits) + 1> stacks_{};
};

/// A point recorded on a queue: behind everything freed in its epoch or earlier.
struct RecordedPoint {
  uint64_t epoch = 0;
  uint64_t sequence = 0;
};

/// The last few points, so that nobody waits for a later point than necessary. Not thread safe.
class RecordedPoints {
 public:
  void add(RecordedPoint point) {
    points_[next_ % points_.size()] = point;
    ++next_;
  }

  /// Returns the first point recorded in that epoch or later.
  template <class Ordering>
  std::optional<RecordedPoint> covering(uint64_t epoch) const {
    std::optional<RecordedPoint> best;
    for (const RecordedPoint& point : points_) {
      const bool covers = point.epoch >= epoch || !Ordering::enforces(OrderingSite::kCovered);
      if (point.epoch != 0 && covers && (!best || point.epoch < best->epoch)) {
        best = point;
      }
    }
    return best;
  }

 private:
  std::array<RecordedPoint, 8> points_{};
  size_t next_ = 0;
};

struct alignas(64) PoolQueue {
  PoolQueue(Queue of, OwnerId number, uint64_t most_cached_units)
      : queue(of), id(number), owner(of.driver == 0 ? kEverybody : number), cache(most_cached_units) {}

  const Queue queue;
  const OwnerId id;
  // The owner of blocks it frees; owner 0 for the host's queue, since the host is done with them.
  const OwnerId owner;

  // Guards the next fields; a spin lock because every allocation takes it for a few dozen instructions.
  SpinLock lock;
  uint64_t epoch = 1;  // ends when a point is recorded
  uint64_t cache_hits = 0;
  uint64_t cached_units = 0;  // total that the cache handed out
  uint64_t given_units = 0;   // total that was freed
  QueueCache cache;

  // Guarded by the pool's mutex.
  RecordedPoints points;
  // For each queue: the epoch after whose end this queue's later work is ordered.
  std::vector<uint64_t> known;
};

}  // namespace forebay::memory
