// What a reader is going to read, in its order, as a function: nothing is listed ahead, so a plan of an
// endless shuffled stream is as small as one of ten reads. It lives as long as the reader: the cursor says
// what has been consumed, so that a store knows what it may forget and how far it is ahead.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace forebay::storage {

struct PlannedRange {
  std::string key;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
  std::string version;  // empty: whatever is there
};

/// Thread safe. Owned by its reader, and by the stores that follow it, until it is retracted.
class ReadPlan {
 public:
  /// Appends what is read at `position`: any number of ranges, none for what lies in another store. Thread
  /// safe; may be called at any time until retract() has returned.
  using RangesAt = std::function<void(uint64_t position, std::vector<PlannedRange>* ranges)>;
  /// Told that the cursor has moved, or that the plan was retracted: on the thread that did it, which it may
  /// not keep waiting.
  using Follower = std::function<void(const ReadPlan& plan)>;

  /// Positions [begin, end); `end` may be UINT64_MAX for a stream without one.
  ReadPlan(uint64_t begin, uint64_t end, RangesAt ranges_at);
  ReadPlan(const ReadPlan&) = delete;
  ReadPlan& operator=(const ReadPlan&) = delete;

  /// Of no other plan of this process.
  uint64_t id() const { return id_; }
  uint64_t end() const { return end_; }

  /// What lies before it will not be read again by this reader.
  uint64_t cursor() const { return cursor_.load(std::memory_order_relaxed); }
  /// Moves the cursor forward; one that lies behind it is passed over.
  void advance(uint64_t cursor);

  /// What is read at the positions [first, first + count), soonest first; nothing once the plan is retracted.
  std::vector<PlannedRange> ranges(uint64_t first, uint64_t count) const;

  /// `follower` is told of everything from now on, until the plan goes.
  void follow(Follower follower);

  /// The reader has ended, or reads something else. The function is forgotten, and with it what it holds.
  void retract();
  bool is_retracted() const { return is_retracted_.load(); }

 private:
  void tell();

  const uint64_t id_;
  const uint64_t end_;
  std::atomic<uint64_t> cursor_;
  std::atomic<bool> is_retracted_{false};
  mutable std::mutex mutex_;
  std::shared_ptr<const RangesAt> ranges_at_;
  std::vector<std::shared_ptr<const Follower>> followers_;
};

}  // namespace forebay::storage
