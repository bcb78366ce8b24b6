// Errors as values. Inside the library every failure is a Status; one translator at each border (Python, C,
// CLI) turns it into what users of that border expect.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace forebay {

using Status = absl::Status;
using StatusCode = absl::StatusCode;

/// A value, or the error that explains why there is none.
template <class T>
using Result = absl::StatusOr<T>;

inline Status ok_status() {
  return absl::OkStatus();
}

/// The text of an error, valid as long as `status` lives.
inline std::string_view message(const Status& status) {
  return {status.message().data(), status.message().size()};
}

template <class... Args>
Status make_status(StatusCode code, fmt::format_string<Args...> format, Args&&... args) {
  return Status(code, fmt::format(format, std::forward<Args>(args)...));
}

#define FOREBAY_STATUS_MAKER(name, code)                                       \
  template <class... Args>                                                     \
  Status name(fmt::format_string<Args...> format, Args&&... args) {            \
    return make_status(StatusCode::code, format, std::forward<Args>(args)...); \
  }

FOREBAY_STATUS_MAKER(invalid_argument, kInvalidArgument)        // the caller's mistake
FOREBAY_STATUS_MAKER(not_found, kNotFound)                      // no such object, operator, argument
FOREBAY_STATUS_MAKER(data_loss, kDataLoss)                      // bytes from outside are broken
FOREBAY_STATUS_MAKER(out_of_range, kOutOfRange)                 // past an end
FOREBAY_STATUS_MAKER(resource_exhausted, kResourceExhausted)    // a limit or budget
FOREBAY_STATUS_MAKER(failed_precondition, kFailedPrecondition)  // a valid call at the wrong time
FOREBAY_STATUS_MAKER(unimplemented, kUnimplemented)             // known, not offered here
FOREBAY_STATUS_MAKER(unavailable, kUnavailable)                 // may work later or elsewhere
FOREBAY_STATUS_MAKER(aborted, kAborted)                         // a conflict: what was read has changed
FOREBAY_STATUS_MAKER(cancelled, kCancelled)                     // nobody wants the answer any more
FOREBAY_STATUS_MAKER(already_exists, kAlreadyExists)
FOREBAY_STATUS_MAKER(permission_denied, kPermissionDenied)
FOREBAY_STATUS_MAKER(internal_error, kInternal)  // a bug in Forebay

#undef FOREBAY_STATUS_MAKER

/// The same error with `prefix: ` in front of its text; payloads are kept. OK stays OK.
Status annotate(const Status& status, std::string_view prefix);

/// Converts an errno value: the code that fits best, and "`what`: strerror".
Status errno_status(int error_number, std::string_view what);

}  // namespace forebay

#define FOREBAY_CONCAT_INNER(a, b) a##b
#define FOREBAY_CONCAT(a, b) FOREBAY_CONCAT_INNER(a, b)

/// Returns from the enclosing function if `expression` is an error.
#define FOREBAY_RETURN_IF_ERROR(expression)           \
  do {                                                \
    ::forebay::Status forebay_status_ = (expression); \
    if (!forebay_status_.ok()) [[unlikely]] {         \
      return forebay_status_;                         \
    }                                                 \
  } while (false)

/// Declares or assigns `target` from a Result, or returns its error.
#define FOREBAY_ASSIGN_OR_RETURN(target, expression) \
  FOREBAY_ASSIGN_OR_RETURN_INNER(FOREBAY_CONCAT(forebay_result_, __LINE__), target, expression)
#define FOREBAY_ASSIGN_OR_RETURN_INNER(result, target, expression) \
  auto result = (expression);                                      \
  if (!result.ok()) [[unlikely]] {                                 \
    return std::move(result).status();                             \
  }                                                                \
  target = *std::move(result)
