#include "forebay/storage/remote/retried_call.h"

#include <algorithm>
#include <random>
#include <string>

#include "absl/strings/cord.h"
#include "fmt/format.h"
#include "forebay/base/log/log.h"
#include "forebay/base/units.h"

namespace forebay::storage {
namespace {

uint64_t key_of(const RetryOptions& options) {
  return random_key(options.seed != 0 ? options.seed : std::random_device()(), 0, hash64("retries"));
}

}  // namespace

RetryPolicy::RetryPolicy(const RetryOptions& given, Timer& its_timer)
    : options(given), timer(its_timer), key(key_of(given)) {
}

void RetryPolicy::note_outcome(const Status& status) {
  const StatusCode code = status.code();
  if (code != StatusCode::kUnavailable && code != StatusCode::kCancelled &&
      code != StatusCode::kDeadlineExceeded) {
    note_answer();
  }
}

void RetryPolicy::note_answer() {
  if (!has_answered_.load(std::memory_order_relaxed)) {
    has_answered_.store(true, std::memory_order_relaxed);
  }
}

bool RetryPolicy::allows(const CallContext& context, int attempts, int64_t since_ns, int64_t when_ns) const {
  return attempts < options.max_attempts ||
         (context.is_for_read && when_ns - since_ns <= options.patience_ns &&
          has_answered_.load(std::memory_order_relaxed));
}

void RetryPolicy::tell_of_outage(const Status& error, int64_t since_ns) {
  constexpr int64_t kToldOf = 5 * kSecond;
  constexpr int64_t kBetweenTellings = 60 * kSecond;
  const int64_t now_ns = timer.now_ns();
  int64_t next_ns = next_telling_ns_.load();
  const bool is_waited_for = options.patience_ns > 0 && has_answered_.load(std::memory_order_relaxed);
  if (is_waited_for && now_ns - since_ns >= kToldOf && now_ns >= next_ns &&
      next_telling_ns_.compare_exchange_strong(next_ns, now_ns + kBetweenTellings)) {
    log_warning("{}; for {} s by now; reads are tried again for up to {} s (retry_for)", message(error),
                (now_ns - since_ns) / kSecond, options.patience_ns / kSecond);
  }
}

Status after_attempts(const Status& status, int attempts, int64_t duration_ns) {
  if (attempts == 1) {
    return status;
  }
  const std::string duration = duration_ns < kSecond ? "" : fmt::format(" in {} s", duration_ns / kSecond);
  Status told = make_status(status.code(), "{} (after {} attempts{})", message(status), attempts, duration);
  status.ForEachPayload([&](absl::string_view type, const absl::Cord& payload) {
    told.SetPayload(type, payload);  // how long the store asks to be left alone
  });
  return told;
}

void tell_of_long_wait(const Status& error, std::optional<int64_t> asked_for_ns, int64_t delay_ns) {
  constexpr int64_t kToldOf = 5 * kSecond;
  if (asked_for_ns && delay_ns >= kToldOf) {
    log_warning("{}; the store asks to wait {} s, the next attempt is in {} s", message(error),
                *asked_for_ns / kSecond, delay_ns / kSecond);
  }
}

int64_t retry_delay_ns(const RetryOptions& options, int attempt, double draw,
                       std::optional<int64_t> asked_for_ns) {
  int64_t backoff_ns = options.first_delay_ns;
  for (int i = 1; i < attempt && backoff_ns < options.max_delay_ns; ++i) {
    backoff_ns *= 2;
  }
  backoff_ns = std::min(backoff_ns, options.max_delay_ns);
  return std::min(asked_for_ns.value_or(0), options.longest_asked_ns) +
         static_cast<int64_t>(static_cast<double>(backoff_ns) * draw);
}

}  // namespace forebay::storage
