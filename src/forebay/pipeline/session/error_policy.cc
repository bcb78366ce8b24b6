#include "forebay/pipeline/session/error_policy.h"

#include "forebay/base/system_error.h"

namespace forebay::pipeline {

bool is_of_sample(const Status& error) {
  if (error.code() == StatusCode::kResourceExhausted && errno_of(error)) {
    return false;  // of this process or its disk: another sample would have failed as well
  }
  return error.code() != StatusCode::kUnavailable && error.code() != StatusCode::kDeadlineExceeded &&
         error.code() != StatusCode::kPermissionDenied;
}

Result<OnError> on_error_of(std::string_view name) {
  for (const OnError policy : {OnError::kRaise, OnError::kSkip, OnError::kReplace}) {
    if (name_of(policy) == name) {
      return policy;
    }
  }
  return invalid_argument("on_error='{}' is not one of 'raise', 'skip', 'replace'", name);
}

std::string_view name_of(OnError policy) {
  switch (policy) {
    case OnError::kRaise:
      return "raise";
    case OnError::kSkip:
      return "skip";
    case OnError::kReplace:
      return "replace";
  }
  return "raise";
}

void ErrorLog::add(const Status& error, std::string action) {
  ++count_;
  if (errors_.size() < kMaxKept) {
    errors_.push_back({context_of(error).value_or(ErrorContext{}), cause_of(error), std::move(action)});
  }
}

}  // namespace forebay::pipeline
