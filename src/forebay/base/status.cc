#include "forebay/base/status.h"

#include <cerrno>
#include <string>
#include <system_error>

#include "absl/strings/cord.h"
#include "forebay/base/system_error.h"

namespace forebay {
namespace {

constexpr char kErrnoType[] = "forebay.dev/errno";

Status status_of(int error_number, std::string_view what) {
  const std::string cause = std::generic_category().message(error_number);
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
    case ELOOP:         // as a link to nothing
    case ENAMETOOLONG:  // so there is no such file
      return not_found("{}: {}", what, cause);
    case EACCES:
    case EPERM:
      return permission_denied("{}: {}", what, cause);
    case EEXIST:
      return already_exists("{}: {}", what, cause);
    case ENOMEM:
    case EMFILE:
    case ENFILE:
    case ENOSPC:
      return resource_exhausted("{}: {}", what, cause);
    case EINVAL:
    case EISDIR:
      return invalid_argument("{}: {}", what, cause);
    default:
      return unavailable("{}: {}", what, cause);
  }
}

}  // namespace

Status annotate(const Status& status, std::string_view prefix) {
  if (status.ok()) {
    return status;
  }
  Status annotated(status.code(), fmt::format("{}: {}", prefix, message(status)));
  status.ForEachPayload(
      [&](absl::string_view type, const absl::Cord& payload) { annotated.SetPayload(type, payload); });
  return annotated;
}

Status errno_status(int error_number, std::string_view what) {
  Status status = status_of(error_number, what);
  status.SetPayload(kErrnoType, absl::Cord(std::to_string(error_number)));
  return status;
}

std::optional<int> errno_of(const Status& status) {
  const auto payload = status.GetPayload(kErrnoType);
  return payload ? std::optional<int>(std::stoi(std::string(*payload))) : std::nullopt;
}

}  // namespace forebay
