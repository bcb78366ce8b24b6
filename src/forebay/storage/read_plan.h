// What a reader is going to read, in order, as a function of the position. Nothing is listed in advance, so
// the plan of an endless shuffled stream is as small as that of ten reads. It lives as long as its reader.
// Its cursor says what has been consumed, so a store knows what it may evict and how far ahead it is. Where
// the data set has an index, the plan also knows its items and when each is read next (planned_items.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/planned_items.h"

namespace forebay::storage {

/// Thread safe. Shared by its reader and the stores that follow it, until it is retracted.
class ReadPlan {
 public:
  /// Appends what is read at `position`: any number of ranges, or none if the data is in another store. Must
  /// be thread safe; may be called at any time until retract() has returned.
  using RangesAt = std::function<void(uint64_t position, std::vector<PlannedRange>* ranges)>;
  /// Called when the cursor has moved or the plan was retracted, on the thread that did it; must not block.
  using Follower = std::function<void(const ReadPlan& plan)>;

  /// Covers the positions [begin, end); `end` may be UINT64_MAX for an endless stream.
  ReadPlan(uint64_t begin, uint64_t end, RangesAt ranges_at, uint64_t reader_window = 0);
  /// What is read at a position is the item there.
  ReadPlan(uint64_t begin, uint64_t end, std::shared_ptr<const PlannedItems> items,
           uint64_t reader_window = 0);
  ~ReadPlan();
  ReadPlan(const ReadPlan&) = delete;
  ReadPlan& operator=(const ReadPlan&) = delete;

  /// Unique among the plans of this process.
  uint64_t id() const { return id_; }
  uint64_t end() const { return end_; }
  /// About how many positions, from the cursor on, the reader itself has under way: fetching ahead pays only
  /// beyond them.
  uint64_t reader_window() const { return reader_window_; }

  /// Positions before the cursor will not be read again by this reader.
  uint64_t cursor() const { return cursor_.load(std::memory_order_relaxed); }
  /// Moves the cursor forward; a cursor behind the current one is ignored. Takes no lock.
  void advance(uint64_t cursor);

  /// Returns what is read at the positions [first, first + count), soonest first; empty once the plan is
  /// retracted.
  std::vector<PlannedRange> ranges(uint64_t first, uint64_t count) const;

  /// Null if the source has no index, or once the plan is retracted.
  std::shared_ptr<const PlannedItems> items() const;

  /// Calls `follower` on every change from now on, for the life of the plan.
  void follow(Follower follower);

  /// Called when the reader has ended or reads something else. Drops the function and everything it captured.
  void retract();
  bool is_retracted() const { return is_retracted_.load(); }

 private:
  /// Followers are added and never removed, so that telling them takes no lock.
  struct FollowerNode {
    Follower follower;
    FollowerNode* next;
  };

  /// What retract() drops.
  struct Content {
    RangesAt ranges_at;
    std::shared_ptr<const PlannedItems> items;
  };

  ReadPlan(uint64_t begin, uint64_t end, Content content, uint64_t reader_window);
  std::shared_ptr<const Content> content() const;
  void tell() const;

  const uint64_t id_;
  const uint64_t end_;
  const uint64_t reader_window_;
  std::atomic<uint64_t> cursor_;
  std::atomic<bool> is_retracted_{false};
  mutable Mutex mutex_;
  std::shared_ptr<const Content> content_ FOREBAY_GUARDED_BY(mutex_);
  std::atomic<FollowerNode*> followers_{nullptr};
};

}  // namespace forebay::storage
