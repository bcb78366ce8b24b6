#include "forebay/storage/errors.h"

#include <string>

#include "absl/strings/cord.h"

namespace forebay::storage {
namespace {

constexpr char kRetryAfterType[] = "forebay.dev/retry-after-ns";

}  // namespace

Status no_such_object(std::string_view uri) {
  return not_found("{}: no such object", uri);
}

Status version_changed(std::string_view uri, std::string_view expected, std::string_view found) {
  return aborted("{}: the object has changed; version {} was requested, the current one is {}", uri, expected,
                 found);
}

Status throttled(std::string_view uri, int64_t retry_after_ns) {
  Status status = unavailable("{}: too many requests; try again in {} ms", uri, retry_after_ns / 1'000'000);
  status.SetPayload(kRetryAfterType, absl::Cord(std::to_string(retry_after_ns)));
  return status;
}

bool is_unanswered(const Status& status) {
  return status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kDeadlineExceeded ||
         status.code() == StatusCode::kCancelled || status.code() == StatusCode::kResourceExhausted;
}

std::optional<int64_t> retry_after_ns(const Status& status) {
  const auto payload = status.GetPayload(kRetryAfterType);
  return payload ? std::optional<int64_t>(std::stoll(std::string(*payload))) : std::nullopt;
}

}  // namespace forebay::storage
