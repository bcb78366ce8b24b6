#include "forebay/storage/local/rename_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace forebay::storage {
namespace {

bool is_folder_itself(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

/// `cannot`: the errno if no link can be made.
int move_by_link(const std::string& from, const std::string& to, int cannot) {
  if (::link(from.c_str(), to.c_str()) != 0) {
    errno = errno == EPERM || errno == ENOSYS || errno == EOPNOTSUPP ? cannot : errno;
    return -1;
  }
  // Somebody else may have removed the old name meanwhile.
  return ::unlink(from.c_str()) == 0 || errno == ENOENT ? 0 : -1;
}

}  // namespace

int rename_to_free_name(const std::string& from, const std::string& to, RenameCall rename) {
  if (rename(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
    return 0;
  }
  const int cannot = errno;
  const bool knows_no_such_rename = cannot == EINVAL || cannot == ENOSYS || cannot == EOPNOTSUPP;
  if (knows_no_such_rename && !is_folder_itself(from)) {
    return move_by_link(from, to, cannot);
  }
  errno = cannot;
  return -1;
}

int rename_to_free_name(const std::string& from, const std::string& to) {
  return rename_to_free_name(from, to, ::renameat2);
}

}  // namespace forebay::storage
