// Counts under one lock, which is held for a few additions.
#include "forebay/serving/repository/model_use.h"

#include <algorithm>
#include <chrono>

#include "forebay/base/clock.h"

namespace forebay::serving {
namespace {

constexpr int64_t kLongestIdleWait_ns = int64_t{1} * 1000 * 1000 * 1000;
constexpr int64_t kNsInMs = 1000 * 1000;

/// Whether it is of those that say that a request was not run: too much is under way, nobody is there to run
/// it, nobody waits for it.
bool is_refusal(const Status& error) {
  return error.code() == StatusCode::kResourceExhausted || error.code() == StatusCode::kUnavailable ||
         error.code() == StatusCode::kDeadlineExceeded || error.code() == StatusCode::kCancelled;
}

}  // namespace

void ModelUse::begin() {
  const MutexLock lock(mutex_);
  ++under_way_;
}

void ModelUse::end() {
  const MutexLock lock(mutex_);
  if (--under_way_ == 0) {
    idle_.notify_all();
  }
}

uint64_t ModelUse::under_way() const {
  const MutexLock lock(mutex_);
  return under_way_;
}

bool ModelUse::wait_until_idle(int64_t deadline_ns) {
  UniqueMutexLock lock(mutex_);
  while (under_way_ > 0) {
    const int64_t now_ns = steady_clock().now_ns();
    if (now_ns >= deadline_ns) {
      return false;
    }
    idle_.wait_for(lock.native(),
                   std::chrono::nanoseconds(std::min(deadline_ns - now_ns, kLongestIdleWait_ns)));
  }
  return true;
}

void ModelUse::add_success(int64_t rows, int64_t spent_ns, const Timing& timing) {
  const int64_t now_ms = wall_clock_ns() / kNsInMs;
  const MutexLock lock(mutex_);
  statistics_.success_count += 1;
  statistics_.execution_count += 1;
  statistics_.inference_count += static_cast<uint64_t>(rows);
  statistics_.last_inference_ms = now_ms;
  statistics_.success_ns += spent_ns;
  statistics_.total.queue_ns += timing.queue_ns;
  statistics_.total.input_ns += timing.input_ns;
  statistics_.total.compute_ns += timing.compute_ns;
  statistics_.total.output_ns += timing.output_ns;
}

void ModelUse::add_failure(int64_t spent_ns, const Status& error) {
  const MutexLock lock(mutex_);
  statistics_.failure_count += 1;
  statistics_.execution_count += is_refusal(error) ? 0 : 1;
  statistics_.failure_ns += spent_ns;
}

ModelStatistics ModelUse::statistics() const {
  const MutexLock lock(mutex_);
  return statistics_;
}

}  // namespace forebay::serving
