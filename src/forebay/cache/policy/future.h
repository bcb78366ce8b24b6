// When what a cache holds is read next, from the plans of all its readers.
//
// Readers go at their own speeds, so their positions are put on a common time: one unit is one position read
// by any of them. A reader that made a quarter of the recent progress takes four units for a position.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/policy/object_table.h"
#include "forebay/storage/read_plan.h"

namespace forebay::cache {

/// Later than any read that a plan names.
inline constexpr double kNoRead = std::numeric_limits<double>::infinity();

/// A part of an object, by the low word of its ObjectId.
struct EntryPlace {
  uint64_t object = 0;
  uint64_t start_bytes = 0;
  uint64_t bytes = 0;
};

/// Thread safe. Holds plans until they are retracted.
class Future {
 public:
  /// `objects` is the table of the plan's data set. Plans without items tell nothing about what is held, and
  /// are not kept.
  void follow(std::shared_ptr<storage::ReadPlan> plan, std::shared_ptr<const ObjectTable> objects);

  /// Returns the time of the entry's next read by any reader; kNoRead if none comes within about two epochs;
  /// nothing if no plan covers the entry. A position within a reader's window counts as read if the entry was
  /// used since the position came into the window; `last_used` is that time, now() for an entry that is being
  /// read.
  std::optional<double> next_read(const EntryPlace& entry, double last_used);

  /// The time of a plan's position; kNoRead for plans that are not followed.
  double time_of(uint64_t plan_id, uint64_t position);
  double now();
  /// Changes whenever a plan comes or goes.
  uint64_t changes();
  size_t memory_bytes() const;

 private:
  struct Job {
    std::shared_ptr<storage::ReadPlan> plan;
    std::shared_ptr<const storage::PlannedItems> items;
    std::shared_ptr<const ObjectTable> objects;
    uint64_t horizon = 0;  // positions looked ahead
    uint64_t cursor = 0;
    uint64_t progress = 0;  // positions since the rates were computed
    double rate = 1;        // its part of all progress
  };

  void update() FOREBAY_REQUIRES(mutex_);
  void compute_rates(uint64_t progress) FOREBAY_REQUIRES(mutex_);
  void forget_retracted() FOREBAY_REQUIRES(mutex_);
  double time_at(const Job& job, uint64_t position) const FOREBAY_REQUIRES(mutex_);
  bool was_read(const Job& job, uint64_t position, double last_used) const FOREBAY_REQUIRES(mutex_);
  uint64_t next_position(const Job& job, storage::ItemRun run, double last_used) const
      FOREBAY_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::vector<Job> jobs_ FOREBAY_GUARDED_BY(mutex_);
  double now_ FOREBAY_GUARDED_BY(mutex_) = 0;
  uint64_t progress_ FOREBAY_GUARDED_BY(mutex_) = 0;
  uint64_t changes_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace forebay::cache
