// Kernel readahead driven by read plans: while reads miss the page cache, a background thread asks the kernel
// for the files that plans name behind what the reader itself has under way. While the page cache answers
// everything, a plan costs one comparison each time its cursor moves, and there is no thread.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/read_plan.h"

namespace forebay::storage {

/// Thread safe. Does nothing in a forked child. May be destroyed on any thread, including its own.
class Readahead {
 public:
  using PathOf = std::function<std::optional<std::string>(std::string_view key)>;

  explicit Readahead(PathOf path_of);
  ~Readahead();
  Readahead(const Readahead&) = delete;
  Readahead& operator=(const Readahead&) = delete;

  /// Notes a read that the page cache could not answer.
  void note_miss();
  uint64_t misses() const { return state_->misses.load(std::memory_order_relaxed); }

  void follow(std::shared_ptr<ReadPlan> plan);

 private:
  struct Followed {
    std::shared_ptr<ReadPlan> plan;
    uint64_t asked_for = 0;  // positions before this have been requested
  };
  struct State {
    PathOf path_of;
    std::atomic<uint64_t> misses{0};
    std::atomic<uint64_t> seen_misses{0};
    std::atomic<bool> has_plans{false};
    std::atomic<bool> is_stopping{false};
    std::atomic<uint32_t> wakes{0};  // changes when there is something to do
    Mutex mutex;
    std::vector<Followed> followed FOREBAY_GUARDED_BY(mutex);

    void wake();
    void run();
    std::vector<PlannedRange> next_ranges();
    void ask_for(std::vector<PlannedRange> ranges) const;
  };

  void start_thread();

  const pid_t owner_;
  const std::shared_ptr<State> state_;
  std::once_flag once_;
  std::thread thread_;
};

}  // namespace forebay::storage
