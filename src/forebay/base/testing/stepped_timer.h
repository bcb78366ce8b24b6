// A timer that a test steps by hand: what is due is called inside advance_ns(), on the thread of the test.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/sync/timer.h"

namespace forebay {

class SteppedTimer final : public Timer {
 public:
  int64_t now_ns() const override {
    const MutexLock lock(mutex_);
    return now_ns_;
  }
  Id at(int64_t when_ns, absl::AnyInvocable<void()> then) override {
    const MutexLock lock(mutex_);
    const Id id = next_id_++;
    waiting_.emplace(id, Waiting{when_ns, std::move(then)});
    return id;
  }
  void hurry(Id id) override {
    const MutexLock lock(mutex_);
    if (const auto found = waiting_.find(id); found != waiting_.end()) {
      found->second.when_ns = 0;
    }
  }

  /// Moves the time on and calls what is due, soonest first; also what that puts off, once it is due.
  void advance_ns(int64_t step_ns) {
    const int64_t end_ns = now_ns() + step_ns;
    while (auto due = take_due(end_ns)) {
      due();
    }
    const MutexLock lock(mutex_);
    now_ns_ = end_ns;
  }
  /// How many things are put off.
  size_t waiting() const {
    const MutexLock lock(mutex_);
    return waiting_.size();
  }

 private:
  struct Waiting {
    int64_t when_ns;
    absl::AnyInvocable<void()> then;
  };

  absl::AnyInvocable<void()> take_due(int64_t end_ns) {
    const MutexLock lock(mutex_);
    const auto first = std::min_element(
        waiting_.begin(), waiting_.end(),
        [](const auto& left, const auto& right) { return left.second.when_ns < right.second.when_ns; });
    if (first == waiting_.end() || first->second.when_ns > end_ns) {
      return nullptr;
    }
    now_ns_ = std::max(now_ns_, first->second.when_ns);
    absl::AnyInvocable<void()> then = std::move(first->second.then);
    waiting_.erase(first);
    return then;
  }

  mutable Mutex mutex_;
  int64_t now_ns_ FOREBAY_GUARDED_BY(mutex_) = steady_clock().now_ns();
  std::map<Id, Waiting> waiting_ FOREBAY_GUARDED_BY(mutex_);
  Id next_id_ FOREBAY_GUARDED_BY(mutex_) = 1;
};

}  // namespace forebay
