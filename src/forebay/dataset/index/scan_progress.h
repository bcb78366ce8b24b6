// How far the scans of shards have come, for those who watch.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/dataset/index/indexed_source.h"

namespace forebay::dataset {

/// Tells of each shard that is done, and ten times a second of those under way. Thread safe.
class ScanProgress {
 public:
  using Tell = std::function<void(const IndexProgress&)>;

  /// Borrows `tell` and the clock; if `tell` is empty, nothing is counted.
  ScanProgress(const Tell& tell, size_t shards, const Clock& clock = steady_clock());

  bool is_watched() const { return tell_ != nullptr; }

  /// The shard's size, once it is known.
  void expect(size_t which, uint64_t bytes);
  /// Its scan begins, perhaps once more, behind so many bytes.
  void begin(size_t which, uint64_t behind_bytes = 0);
  /// What was found of it since.
  void add(size_t which, uint64_t samples);
  /// Which of its bytes were read.
  void read(size_t which, uint64_t offset_bytes, uint64_t length_bytes);
  /// With all that there is of it.
  void done(size_t which, uint64_t samples);

 private:
  struct Shard {
    uint64_t bytes = 0;
    uint64_t samples = 0;
    uint64_t read_end = 0;
    int64_t behind = 0;  // bytes
  };

  void tell_at_times() FOREBAY_REQUIRES(mutex_);
  void move_behind(Shard& shard, int64_t behind) FOREBAY_REQUIRES(mutex_);

  const Tell& tell_;
  const Clock& clock_;
  Mutex mutex_;
  std::vector<Shard> shards_ FOREBAY_GUARDED_BY(mutex_);
  IndexProgress progress_ FOREBAY_GUARDED_BY(mutex_);
  int64_t told_ns_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::dataset
