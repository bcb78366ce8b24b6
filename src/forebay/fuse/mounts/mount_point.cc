#include "forebay/fuse/mounts/mount_point.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "forebay/base/log/log.h"
#include "forebay/fuse/mounts/fusermount.h"

namespace forebay::fuse {
namespace {

constexpr const char* kDevice = "/dev/fuse";

bool is_root() {
  return ::geteuid() == 0;
}

Result<FileDescriptor> open_device() {
  FileDescriptor device(::open(kDevice, O_RDWR | O_CLOEXEC));
  if (device.is_valid()) {
    return device;
  }
  if (errno == ENOENT || errno == ENODEV || errno == ENXIO) {
    return failed_precondition(
        "{}: there is no such device; `modprobe fuse` loads the kernel's module, and a container has to be "
        "given the "
        "device (docker run --device {} --cap-add SYS_ADMIN)",
        kDevice, kDevice);
  }
  return errno_status(errno, kDevice);
}

Status mount_error(int error, const std::string& path) {
  if (error == EPERM || error == EACCES) {
    return failed_precondition(
        "{}: this process may not mount; it needs CAP_SYS_ADMIN (in a container: --cap-add SYS_ADMIN)", path);
  }
  if (error == ENODEV) {
    return failed_precondition("{}: this kernel has no FUSE; `modprobe fuse` loads it", path);
  }
  return errno_status(error, path);
}

Result<FileDescriptor> mount_as_root(const MountPointOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor device, open_device());
  const std::string settings =
      fmt::format("fd={},rootmode=40000,user_id={},group_id={},default_permissions{}", device.get(),
                  ::getuid(), ::getgid(), options.is_for_others ? ",allow_other" : "");
  const std::string type(kFileSystemType);
  const unsigned long flags = MS_NOSUID | MS_NODEV | (options.is_read_only ? 0UL + MS_RDONLY : 0UL);
  if (::mount(options.source.c_str(), options.path.c_str(), type.c_str(), flags, settings.c_str()) != 0) {
    return mount_error(errno, options.path);
  }
  return device;
}

Status check_directory(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOTCONN) {
      return failed_precondition(
          "{}: the process that served a mount there has ended; `forebay unmount {}` removes it", path, path);
    }
    return errno_status(errno, path);
  }
  return S_ISDIR(status.st_mode) ? ok_status() : not_found("{}: not a directory", path);
}

/// The line of what has just been mounted.
Result<MountLine> line_of_new(const std::string& path) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<MountLine> lines, read_mount_lines());
  std::optional<MountLine> line = find_own_mount(lines, path);
  if (!line) {
    return unavailable("{}: the mount has gone at once", path);
  }
  line->unique = unique_mount_at(path);
  return *std::move(line);
}

}  // namespace

// The kernel's table is asked first: a mount that is there may not answer.
Result<std::string> free_mount_point(const std::string& name) {
  FOREBAY_ASSIGN_OR_RETURN(const std::optional<MountLine> line, own_mount_at(name));
  if (line) {
    return failed_precondition(
        "{}: {} is mounted there already; `forebay unmount {}` ends that, also where its process has ended",
        name, line->source, name);
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string path, mount_path(name));
  FOREBAY_RETURN_IF_ERROR(check_directory(path));
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::canonical(path, error);
  return error ? Result<std::string>(errno_status(error.value(), name)) : whole.string();
}

Result<MountPoint::Mounted> MountPoint::mount(const MountPointOptions& given) {
  MountPointOptions options = given;
  FOREBAY_ASSIGN_OR_RETURN(options.path, free_mount_point(given.path));
  Result<FileDescriptor> device = is_root() ? mount_as_root(options) : mount_by_program(options);
  FOREBAY_RETURN_IF_ERROR(device.status());
  Result<MountLine> line = line_of_new(options.path);
  if (!line.ok()) {
    unmount(options.path, true).IgnoreError();
    return line.status();
  }
  return Mounted{MountPoint(*std::move(line)), *std::move(device)};
}

MountPoint& MountPoint::operator=(MountPoint&& other) noexcept {
  std::swap(line_, other.line_);
  return *this;
}

void MountPoint::end() const {
  if (line_.id != 0) {
    end_mount(line_);
  }
}

void set_read_ahead(const MountLine& mount, uint64_t bytes) {
  constexpr uint64_t kKilobyte = 1024;
  std::ofstream file("/sys/class/bdi/" + mount.device + "/read_ahead_kb");
  file << bytes / kKilobyte;  // where that is not allowed, readers go without
}

// The force ends the connection, so that nobody waits for what will not be answered.
void end_mount(const MountLine& mount) {
  const Result<std::vector<MountLine>> lines = read_mount_lines();
  const std::optional<MountLine> line = lines.ok() ? find_same_mount(*lines, mount) : std::nullopt;
  if (!line) {
    return;
  }
  if (find_own_mount(*lines, line->path) != line) {
    log_warning("{}: something else is mounted over it; `umount {}` when that has gone", line->path,
                line->path);
  } else if (!is_root()) {
    unmount_by_program(line->path, true).IgnoreError();
  } else if (::umount2(line->path.c_str(), MNT_FORCE | MNT_DETACH | UMOUNT_NOFOLLOW) != 0) {
    log_warning("{}", message(errno_status(errno, line->path)));
  }
}

Status unmount(const std::string& path, bool at_once) {
  if (!is_root()) {
    return unmount_by_program(path, at_once);
  }
  if (::umount2(path.c_str(), UMOUNT_NOFOLLOW | (at_once ? MNT_DETACH : 0)) == 0) {
    return ok_status();
  }
  if (errno == EBUSY) {
    return failed_precondition(
        "{}: programs use it (`fuser -m {}` names them); --force takes it away from those who look for it",
        path, path);
  }
  return errno_status(errno, path);
}

}  // namespace forebay::fuse
