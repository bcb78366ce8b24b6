// The kernel's readahead, told by plans: while reads miss the page cache, the files that plans name next are
// asked for ahead, on a thread of its own.
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

#include "forebay/storage/read_plan.h"

namespace forebay::storage {

/// Thread safe. In a forked child it does nothing. Its end may come on any thread, its own among them.
class Readahead {
 public:
  using PathOf = std::function<std::optional<std::string>(std::string_view key)>;

  explicit Readahead(PathOf path_of);
  ~Readahead();
  Readahead(const Readahead&) = delete;
  Readahead& operator=(const Readahead&) = delete;

  /// A read that the page cache could not answer.
  void note_miss() { state_->misses.fetch_add(1, std::memory_order_relaxed); }
  uint64_t misses() const { return state_->misses.load(std::memory_order_relaxed); }

  void follow(std::shared_ptr<ReadPlan> plan);

 private:
  struct Followed {
    std::shared_ptr<ReadPlan> plan;
    uint64_t asked_for = 0;  // positions before it
  };
  struct State {
    PathOf path_of;
    std::atomic<uint64_t> misses{0};
    std::atomic<uint64_t> seen_misses{0};
    std::atomic<bool> is_stopping{false};
    std::atomic<uint32_t> wakes{0};  // changes when there is something to do
    std::mutex mutex;
    std::vector<Followed> followed;

    void wake();
    void run();
    void ask_ahead();
    void ask_for(const PlannedRange& range) const;
  };

  const pid_t owner_;
  const std::shared_ptr<State> state_;
  std::once_flag once_;
  std::thread thread_;
};

}  // namespace forebay::storage
