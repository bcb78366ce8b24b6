// What the processes of a host are doing at their daemon, for people who look.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "forebay/base/sync/mutex.h"

namespace forebay::cache {

/// One process.
struct HostActivity {
  pid_t pid = 0;
  uint64_t reads = 0;  // answered, since it came
  uint64_t read_bytes = 0;
  size_t waiting = 0;  // calls that it waits for
  int64_t longest_wait_ns = 0;
  std::string waits_for;  // the object of the call that it has waited for longest
  size_t leases = 0;      // reads whose bytes it looks at
  size_t plans = 0;
};

/// Something that can tell what a process does.
class ActivitySource {
 public:
  virtual ~ActivitySource() = default;
  /// On the thread of the connections' loop.
  virtual HostActivity activity(int64_t now_ns) const = 0;
};

/// All processes that are connected, and what those that were have got. Thread safe but for list(), which is
/// called on the thread of the loop.
class HostActivities {
 public:
  void add(std::weak_ptr<const ActivitySource> source);
  /// Those who have waited longest first.
  std::vector<HostActivity> list(int64_t now_ns) const;

  void count_read(uint64_t bytes) {
    reads_.fetch_add(1, std::memory_order_relaxed);
    read_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }
  uint64_t reads() const { return reads_.load(std::memory_order_relaxed); }
  uint64_t read_bytes() const { return read_bytes_.load(std::memory_order_relaxed); }

 private:
  mutable Mutex mutex_;
  std::vector<std::weak_ptr<const ActivitySource>> sources_ FOREBAY_GUARDED_BY(mutex_);
  std::atomic<uint64_t> reads_{0};
  std::atomic<uint64_t> read_bytes_{0};
};

}  // namespace forebay::cache
