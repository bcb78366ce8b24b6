// Resources that wrap other resources: limits, statistics, retries. Each forwards to the one below and adds
// one thing; they stack in any order. See also tracking_resource.h and logging_resource.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "forebay/base/budget/budget.h"
#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/memory/adaptors/adaptor.h"

namespace forebay::memory {

/// Reserves the bytes of each allocation in a Budget first; resource_exhausted if the budget refuses. A
/// refused request takes nothing from others meanwhile. Thread safe.
class LimitResource final : public Adaptor {
 public:
  LimitResource(std::shared_ptr<MemoryResource> upstream, std::shared_ptr<Budget> budget);
  std::string_view name() const override { return "limit"; }

 private:
  Result<void*> take(size_t bytes, const Queue* queue) override;
  void give(void* pointer, size_t bytes, const LastUse& last_use) noexcept override;

  const std::shared_ptr<Budget> budget_;
  Mutex mutex_;
  std::unordered_map<void*, Reservation> reservations_ FOREBAY_GUARDED_BY(mutex_);
};

struct RateOptions {
  uint64_t bytes_per_second = 0;  // must be above 0
  uint64_t burst_bytes = 0;       // how much may be taken at once after a pause; must be above 0
};

/// Limits the allocation rate (a token bucket): after a pause `burst_bytes` at once, then as tokens arrive. A
/// request that comes too early is refused at once with unavailable, which says in how many milliseconds it
/// would succeed; a request above the burst is resource_exhausted. Never blocks. Freed memory gives no
/// credit. Thread safe.
class RateResource final : public Adaptor {
 public:
  RateResource(std::shared_ptr<MemoryResource> upstream, const RateOptions& options,
               const Clock& clock = steady_clock());
  std::string_view name() const override { return "rate"; }

  /// Nanoseconds until a request of that size would succeed if no other came first; 0 if it would succeed
  /// now. Not for sizes above the burst.
  int64_t ns_until(size_t bytes) const;

 private:
  Result<void*> take(size_t bytes, const Queue* queue) override;
  void give(void* pointer, size_t bytes, const LastUse& last_use) noexcept override;
  double credit_now() const FOREBAY_REQUIRES(mutex_);
  int64_t ns_until_locked(size_t bytes) const FOREBAY_REQUIRES(mutex_);
  int64_t reserve(size_t bytes);

  const RateOptions options_;
  const Clock& clock_;
  mutable Mutex mutex_;
  mutable double credit_bytes_ FOREBAY_GUARDED_BY(mutex_);
  // The time up to which credit_bytes_ is counted.
  mutable int64_t credited_ns_ FOREBAY_GUARDED_BY(mutex_);
};

struct ResourceStatistics {
  uint64_t allocations = 0;  // successful ones
  uint64_t failures = 0;
  int64_t bytes = 0;  // allocated now; in a scope: relative to its start, so it may be negative
  int64_t peak_bytes = 0;
  uint64_t total_bytes = 0;  // over all allocations
};

/// Keeps statistics, in total and by scope. Scopes nest and belong to the process, not to a thread. Thread
/// safe.
class StatisticsResource final : public Adaptor {
 public:
  explicit StatisticsResource(std::shared_ptr<MemoryResource> upstream);
  std::string_view name() const override { return "statistics"; }

  /// Totals since construction, over all scopes.
  ResourceStatistics statistics() const;
  /// Begins a scope.
  void push();
  /// Ends the innermost scope and returns its statistics, including nested scopes. failed_precondition if
  /// there is none.
  Result<ResourceStatistics> pop();

 private:
  Result<void*> take(size_t bytes, const Queue* queue) override;
  void give(void* pointer, size_t bytes, const LastUse& last_use) noexcept override;

  mutable Mutex mutex_;
  // The first one is the total; the last one is the current scope.
  std::vector<ResourceStatistics> scopes_ FOREBAY_GUARDED_BY(mutex_);
};

/// When an allocation fails, calls `on_failure(bytes, failure, attempt)`, with attempts counted from 1. If it
/// returns true, for example after it has freed memory, the allocation is tried again. It is called without a
/// lock, on the requesting thread, and may use the resource. Thread safe.
class FailureCallbackResource final : public Adaptor {
 public:
  using OnFailure = std::function<bool(size_t bytes, const Status& failure, int attempt)>;

  FailureCallbackResource(std::shared_ptr<MemoryResource> upstream, OnFailure on_failure);
  std::string_view name() const override { return "failure callback"; }

 private:
  Result<void*> take(size_t bytes, const Queue* queue) override;
  void give(void* pointer, size_t bytes, const LastUse& last_use) noexcept override;

  const OnFailure on_failure_;
};

}  // namespace forebay::memory
