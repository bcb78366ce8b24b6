#include "forebay/base/status.h"

#include <cerrno>
#include <system_error>

namespace forebay {

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
  const std::string cause = std::generic_category().message(error_number);
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
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

}  // namespace forebay
