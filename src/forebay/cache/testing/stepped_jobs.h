// Jobs that a test does one by one, in their order.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "absl/functional/any_invocable.h"

namespace forebay::cache::testing {

/// Thread compatible.
class SteppedJobs {
 public:
  std::function<void(absl::AnyInvocable<void()>)> runner() {
    return [jobs = jobs_](absl::AnyInvocable<void()> job) { jobs->push_back(std::move(job)); };
  }
  size_t waiting() const { return jobs_->size(); }
  /// False if there is none.
  bool step() {
    if (jobs_->empty()) {
      return false;
    }
    absl::AnyInvocable<void()> job = std::move(jobs_->front());
    jobs_->pop_front();
    job();
    return true;
  }
  void run_all() {
    while (step()) {
    }
  }
  void drop_all() { const std::deque<absl::AnyInvocable<void()>> dropped = std::exchange(*jobs_, {}); }

 private:
  std::shared_ptr<std::deque<absl::AnyInvocable<void()>>> jobs_ =
      std::make_shared<std::deque<absl::AnyInvocable<void()>>>();
};

}  // namespace forebay::cache::testing
