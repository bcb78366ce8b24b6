#include "forebay/storage/home/forebay_home.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "forebay/storage/local/local_file.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

Result<std::string> forebay_home() {
  std::string home = variable("FOREBAY_HOME");
  if (!home.empty()) {
    return home.starts_with('/') ? Result<std::string>(std::move(home))
                                 : invalid_argument("FOREBAY_HOME={}: not an absolute path", home);
  }
  // A relative path is to be ignored, says the XDG base directory specification.
  if (const std::string data = variable("XDG_DATA_HOME"); data.starts_with('/')) {
    return data + "/forebay";
  }
  home = variable("HOME");
  if (!home.starts_with('/')) {
    return failed_precondition("no place for Forebay's state: set FOREBAY_HOME to a folder");
  }
  return home + "/.local/share/forebay";
}

Status sync_folder(const std::string& folder) {
  const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0 || ::fsync(opened.get()) != 0) {
    return errno_status(errno, folder);
  }
  return ok_status();
}

Status make_private_folder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0) {
    return sync_folder(std::string(parent_path(folder)));
  }
  if (errno == EEXIST) {
    return ok_status();
  }
  const std::string parent(parent_path(folder));
  if (errno != ENOENT || parent.empty() || parent == folder) {
    return errno_status(errno, folder);
  }
  FOREBAY_RETURN_IF_ERROR(make_private_folder(parent));
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return errno_status(errno, folder);
  }
  return sync_folder(parent);
}

}  // namespace forebay::storage
