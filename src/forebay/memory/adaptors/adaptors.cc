#include "forebay/memory/adaptors/adaptors.h"

#include <algorithm>
#include <cmath>

#include "forebay/base/check.h"

namespace forebay::memory {

LimitResource::LimitResource(std::shared_ptr<MemoryResource> upstream, std::shared_ptr<Budget> budget)
    : Adaptor(std::move(upstream)), budget_(std::move(budget)) {
}

Result<void*> LimitResource::take(size_t bytes, const Queue* queue) {
  FOREBAY_ASSIGN_OR_RETURN(Reservation reservation, budget_->try_reserve(bytes));
  FOREBAY_ASSIGN_OR_RETURN(void* pointer, take_upstream(bytes, queue));
  const MutexLock lock(mutex_);
  reservations_[pointer] = std::move(reservation);
  return pointer;
}

void LimitResource::give(void* pointer, size_t bytes, const LastUse& last_use) noexcept {
  Reservation reservation;  // released last: the bytes count until the memory is really freed
  {
    const MutexLock lock(mutex_);
    const auto found = reservations_.find(pointer);
    if (found != reservations_.end()) {
      reservation = std::move(found->second);
      reservations_.erase(found);
    }
  }
  give_upstream(pointer, bytes, last_use);
}

RateResource::RateResource(std::shared_ptr<MemoryResource> upstream, const RateOptions& options,
                           const Clock& clock)
    : Adaptor(std::move(upstream)),
      options_(options),
      clock_(clock),
      credit_bytes_(static_cast<double>(options.burst_bytes)),
      credited_ns_(clock.now_ns()) {
  FOREBAY_CHECK(options.bytes_per_second > 0 && options.burst_bytes > 0);
}

double RateResource::credit_now() const {
  const int64_t now_ns = clock_.now_ns();
  const double came_in =
      static_cast<double>(now_ns - credited_ns_) * 1e-9 * static_cast<double>(options_.bytes_per_second);
  credited_ns_ = now_ns;
  credit_bytes_ = std::min(credit_bytes_ + came_in, static_cast<double>(options_.burst_bytes));
  return credit_bytes_;
}

int64_t RateResource::ns_until(size_t bytes) const {
  const MutexLock lock(mutex_);
  return ns_until_locked(bytes);
}

int64_t RateResource::ns_until_locked(size_t bytes) const {
  const double missing = static_cast<double>(bytes) - credit_now();
  return missing <= 0 ? 0
                      : static_cast<int64_t>(
                            std::ceil(missing / static_cast<double>(options_.bytes_per_second) * 1e9));
}

Result<void*> RateResource::take(size_t bytes, const Queue* queue) {
  if (bytes > options_.burst_bytes) {
    return resource_exhausted("{} bytes requested at once, more than the burst of {}", bytes,
                              options_.burst_bytes);
  }
  if (const int64_t ns = reserve(bytes); ns > 0) {
    return unavailable("{} bytes exceed the rate of {} bytes a second; try again in {} ms", bytes,
                       options_.bytes_per_second, ns / 1000000 + 1);
  }
  Result<void*> pointer = take_upstream(bytes, queue);
  if (!pointer.ok()) {
    const MutexLock lock(mutex_);
    credit_bytes_ += static_cast<double>(bytes);
  }
  return pointer;
}

// Takes the credit and returns 0, or returns in how many nanoseconds there will be enough.
int64_t RateResource::reserve(size_t bytes) {
  const MutexLock lock(mutex_);
  const int64_t ns = ns_until_locked(bytes);
  if (ns == 0) {
    credit_bytes_ -= static_cast<double>(bytes);
  }
  return ns;
}

void RateResource::give(void* pointer, size_t bytes, const LastUse& last_use) noexcept {
  give_upstream(pointer, bytes, last_use);
}

StatisticsResource::StatisticsResource(std::shared_ptr<MemoryResource> upstream)
    : Adaptor(std::move(upstream)), scopes_(1) {
}

Result<void*> StatisticsResource::take(size_t bytes, const Queue* queue) {
  Result<void*> pointer = take_upstream(bytes, queue);
  const MutexLock lock(mutex_);
  ResourceStatistics& scope = scopes_.back();
  if (!pointer.ok()) {
    ++scope.failures;
    return pointer;
  }
  ++scope.allocations;
  scope.bytes += static_cast<int64_t>(bytes);
  scope.total_bytes += bytes;
  scope.peak_bytes = std::max(scope.peak_bytes, scope.bytes);
  return pointer;
}

void StatisticsResource::give(void* pointer, size_t bytes, const LastUse& last_use) noexcept {
  {
    const MutexLock lock(mutex_);
    scopes_.back().bytes -= static_cast<int64_t>(bytes);
  }
  give_upstream(pointer, bytes, last_use);
}

namespace {

void add(ResourceStatistics& outer, const ResourceStatistics& inner) {
  outer.peak_bytes = std::max(outer.peak_bytes, outer.bytes + inner.peak_bytes);
  outer.allocations += inner.allocations;
  outer.failures += inner.failures;
  outer.bytes += inner.bytes;
  outer.total_bytes += inner.total_bytes;
}

}  // namespace

ResourceStatistics StatisticsResource::statistics() const {
  const MutexLock lock(mutex_);
  ResourceStatistics sum = scopes_.back();
  for (size_t i = scopes_.size() - 1; i > 0; --i) {
    ResourceStatistics outer = scopes_[i - 1];
    add(outer, sum);
    sum = outer;
  }
  return sum;
}

void StatisticsResource::push() {
  const MutexLock lock(mutex_);
  scopes_.emplace_back();
}

Result<ResourceStatistics> StatisticsResource::pop() {
  const MutexLock lock(mutex_);
  if (scopes_.size() == 1) {
    return failed_precondition("no statistics scope is open");
  }
  const ResourceStatistics scope = scopes_.back();
  scopes_.pop_back();
  add(scopes_.back(), scope);
  return scope;
}

FailureCallbackResource::FailureCallbackResource(std::shared_ptr<MemoryResource> upstream,
                                                 OnFailure on_failure)
    : Adaptor(std::move(upstream)), on_failure_(std::move(on_failure)) {
}

Result<void*> FailureCallbackResource::take(size_t bytes, const Queue* queue) {
  for (int attempt = 1;; ++attempt) {
    Result<void*> pointer = take_upstream(bytes, queue);
    if (pointer.ok() || !on_failure_(bytes, pointer.status(), attempt)) {
      return pointer;
    }
  }
}

void FailureCallbackResource::give(void* pointer, size_t bytes, const LastUse& last_use) noexcept {
  give_upstream(pointer, bytes, last_use);
}

}  // namespace forebay::memory
