// Counts under one lock, which is held for a few additions.
#include "forebay/serving/repository/model_use.h"

#include <algorithm>

#include "forebay/base/clock.h"
#include "forebay/base/sync/wait_until.h"
#include "forebay/base/units.h"

namespace forebay::serving {
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
  return wait_until(idle_, lock, deadline_ns, [this]() FOREBAY_REQUIRES(mutex_) { return under_way_ == 0; });
}

void ModelUse::add_success(int64_t rows, int64_t spent_ns, const Timing& timing) {
  const int64_t now_ms = wall_clock_ns() / kMillisecond;
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
