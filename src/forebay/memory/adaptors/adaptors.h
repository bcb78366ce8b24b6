// Resources over resources: limits, counts, another try. Each forwards to the one below and adds one thing;
// they stack in any order. More: tracking_resource.h, logging_resource.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "forebay/base/budget.h"
#include "forebay/base/clock.h"
#include "forebay/memory/adaptors/adaptor.h"

namespace forebay::memory {

/// Reserves each allocation's bytes in a Budget first; resource_exhausted when that refuses. A request that
/// is refused takes nothing from others meanwhile. Thread safe.
class LimitResource final : public Adaptor {
 public:
  LimitResource(std::shared_ptr<MemoryResource> upstream, std::shared_ptr<Budget> budget);
  std::string_view name() const override { return "limit"; }

 private:
  Result<void*> take(size_t bytes, const Queue* queue) override;
  void give(void* pointer, size_t bytes, const LastUse& last_use) noexcept override;

  const std::shared_ptr<Budget> budget_;
  std::mutex mutex_;
  std::unordered_map<void*, Reservation> reservations_;
};

struct RateOptions {
  uint64_t bytes_per_second = 0;  // must be above 0
  uint64_t burst_bytes = 0;       // that may be taken at once after a rest; must be above 0
};

/// Lets allocations through at a rate (a token bucket): after a rest `burst_bytes` at once, then as they come
/// in. A request that is early is refused at once with unavailable, which says in how many milliseconds it
/// would be met; one above the burst is resource_exhausted. Nobody waits here. What comes back gives no
/// credit. Thread safe.
class RateResource final : public Adaptor {
 public:
  RateResource(std::shared_ptr<MemoryResource> upstream, const RateOptions& options,
               const Clock& clock = steady_clock());
  std::string_view name() const override { return "rate"; }

  /// Nanoseconds until a request of that size would be met if no other came first; 0 when it would be now.
  /// Not for sizes above the burst.
  int64_t ns_until(size_t bytes) const;

 private:
  Result<void*> take(size_t bytes, const Queue* queue) override;
  void give(void* pointer, size_t bytes, const LastUse& last_use) noexcept override;
  double credit_now() const;
  int64_t ns_until_locked(size_t bytes) const;
  int64_t reserve(size_t bytes);

  const RateOptions options_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  mutable double credit_bytes_;
  mutable int64_t credited_ns_;  // until when credit_bytes_ counts
};

struct ResourceStatistics {
  uint64_t allocations = 0;  // that succeeded
  uint64_t failures = 0;
  int64_t bytes = 0;  // out now; of a scope: more than when it began, which may be less than none
  int64_t peak_bytes = 0;
  uint64_t total_bytes = 0;  // ever
};

/// Counts, as a whole and by scope. Scopes nest and belong to the process, not to a thread. Thread safe.
class StatisticsResource final : public Adaptor {
 public:
  explicit StatisticsResource(std::shared_ptr<MemoryResource> upstream);
  std::string_view name() const override { return "statistics"; }

  /// Since the beginning, over all scopes.
  ResourceStatistics statistics() const;
  /// Begins a scope.
  void push();
  /// Ends the innermost scope; what happened in it, scopes inside included. failed_precondition when there is
  /// none.
  Result<ResourceStatistics> pop();

 private:
  Result<void*> take(size_t bytes, const Queue* queue) override;
  void give(void* pointer, size_t bytes, const LastUse& last_use) noexcept override;

  mutable std::mutex mutex_;
  std::vector<ResourceStatistics> scopes_;  // the first is the whole; the last is what counts now
};

/// Asks what to do when an allocation fails: `on_failure(bytes, failure, attempt)`, attempts counted from 1,
/// says whether to try again, after it made room for instance. It is called without a lock, on the thread
/// that asked, and may use the resource. Thread safe.
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
