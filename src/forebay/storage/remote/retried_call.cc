#include "forebay/storage/remote/retried_call.h"

#include <algorithm>
#include <random>

#include "absl/strings/cord.h"
#include "forebay/base/log.h"
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

Status after_attempts(const Status& status, int attempts) {
  if (attempts == 1) {
    return status;
  }
  Status told = make_status(status.code(), "{} (after {} attempts)", message(status), attempts);
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
