#include "forebay/storage/namespace/mount_database.h"

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "forebay/base/sync/fork.h"
#include "forebay/storage/home/forebay_home.h"
#include "forebay/storage/home/whole_file.h"
#include "forebay/storage/namespace/mount_file.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

bool is_same_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

MountDatabaseOptions process_mounts() {
  MountDatabaseOptions options;
  if (const char* const named = std::getenv("FOREBAY_MOUNTS"); named != nullptr && *named != '\0') {
    options.file = named;
    options.is_static = true;
    return options;
  }
  Result<std::string> home = forebay_home();
  if (!home.ok()) {
    options.why_no_file = home.status();
    return options;
  }
  const char* const chosen = std::getenv("FOREBAY_HOME");
  options.may_be_hidden = chosen == nullptr || *chosen == '\0';
  options.file = *std::move(home) + "/mounts.json";
  return options;
}

void MountDatabase::keep_usable_in_child() {
  forebay::keep_usable_in_child(mutex_.native());
}

Result<MountTableRef> MountDatabase::table() {
  const MutexLock lock(mutex_);
  FOREBAY_RETURN_IF_ERROR(load());
  return table_;
}

bool MountDatabase::is_known(const struct stat& status) const {
  return known_.get() >= 0 && status.st_dev == known_status_.st_dev &&
         status.st_ino == known_status_.st_ino && status.st_size == known_status_.st_size &&
         is_same_time(status.st_mtim, known_status_.st_mtim) &&
         is_same_time(status.st_ctim, known_status_.st_ctim);
}

Status MountDatabase::load() {
  struct stat status {};
  if (!options_.file.empty() && ::stat(options_.file.c_str(), &status) == 0) {
    return is_known(status) ? ok_status() : read_file();
  }
  const bool is_absent = options_.file.empty() || errno == ENOENT || errno == ENOTDIR ||
                         (options_.may_be_hidden && errno == EACCES);
  if (!is_absent || options_.is_static) {
    return annotate(errno_status(errno, options_.file), "the mount table cannot be read");
  }
  if (!table_ || known_.get() >= 0) {
    table_ = std::make_shared<const MountTable>();
    known_ = FileDescriptor();
  }
  return ok_status();
}

Status MountDatabase::read_file() {
  Result<OpenFile> file = open_file(options_.file, options_.file);
  if (!file.ok()) {
    return annotate(file.status(), "the mount table cannot be read");
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string text,
                           read_whole(file->descriptor.get(), options_.file, kMaxMountFileBytes));
  FOREBAY_ASSIGN_OR_RETURN(MountTable table, parse_mounts(text, options_.file));
  table_ = std::make_shared<const MountTable>(std::move(table));
  known_ = std::move(file->descriptor);
  known_status_ = file->status;
  return ok_status();
}

Status MountDatabase::add(MountEntry entry) {
  FOREBAY_RETURN_IF_ERROR(check_entry(entry));
  return change([&](MountTable& table) { return table.add(std::move(entry)); });
}

Status MountDatabase::remove(const std::string& path) {
  return change([&](MountTable& table) { return table.remove(path); });
}

Status MountDatabase::change(const std::function<Status(MountTable&)>& how) {
  if (options_.file.empty()) {
    return options_.why_no_file.ok() ? failed_precondition("there is no mount table") : options_.why_no_file;
  }
  if (options_.is_static) {
    return failed_precondition("the mounts are those of the file {}, which FOREBAY_MOUNTS names; edit it",
                               options_.file);
  }
  FOREBAY_RETURN_IF_ERROR(make_private_folder(std::string(parent_path(options_.file))));
  FOREBAY_ASSIGN_OR_RETURN(const WriterLock lock, WriterLock::take(options_.file));
  if (options_.at_point) {
    options_.at_point("locked");
  }
  FOREBAY_ASSIGN_OR_RETURN(const MountTableRef now, table());
  MountTable changed = *now;
  FOREBAY_RETURN_IF_ERROR(how(changed));
  return replace_file(options_.file, format_mounts(changed), options_.at_point);
}

}  // namespace forebay::storage
