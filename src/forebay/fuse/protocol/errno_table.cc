#include "forebay/fuse/protocol/errno_table.h"

#include <algorithm>
#include <cerrno>
#include <optional>

#include "forebay/base/system_error.h"

namespace forebay::fuse {
namespace {

constexpr int kOfFiles[] = {ENOENT, ENOTDIR, EISDIR, ELOOP,  ENAMETOOLONG, EACCES, EPERM,
                            EROFS,  ESTALE,  ENOSPC, EDQUOT, ENOMEM,       EFBIG,  ETIMEDOUT,
                            EEXIST, EXDEV,   EBUSY,  EINVAL, ENOTEMPTY};

}  // namespace

int errno_for(const Status& status) {
  const std::optional<int> said = errno_of(status);
  if (said && std::ranges::find(kOfFiles, *said) != std::end(kOfFiles)) {
    return *said;
  }
  switch (status.code()) {
    case StatusCode::kOk:
      return 0;
    case StatusCode::kNotFound:
      return ENOENT;
    case StatusCode::kPermissionDenied:
    case StatusCode::kUnauthenticated:
      return EACCES;
    case StatusCode::kAlreadyExists:
      return EEXIST;
    case StatusCode::kAborted:
      return ESTALE;
    case StatusCode::kCancelled:
      return EINTR;
    case StatusCode::kDeadlineExceeded:
      return ETIMEDOUT;
    case StatusCode::kInvalidArgument:
      return EINVAL;
    case StatusCode::kUnimplemented:
      return EOPNOTSUPP;
    case StatusCode::kResourceExhausted:
      return said ? EIO : ENOMEM;  // of descriptors, or of a budget
    default:
      return EIO;
  }
}

int errno_for_open_file(const Status& status) {
  const int error = errno_for(status);
  return error == ENOENT || error == ENOTDIR ? ESTALE : error;
}

}  // namespace forebay::fuse
