// Mounts and unmounts: as root by mount(2), as others by fusermount3.
#pragma once

#include <cstdint>
#include <string>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"
#include "forebay/fuse/mounts/mount_lines.h"

namespace forebay::fuse {

struct MountPointOptions {
  std::string path;            // a directory
  std::string source;          // what the kernel's table says of it
  bool is_for_others = false;  // programs of other users may use it, as far as the modes of files allow
  bool is_read_only = false;
};

/// A mount of this process. It goes with this object.
class MountPoint {
 public:
  /// Mounts. The descriptor that comes with it has to be served before the mount answers. not_found
  /// if the path is no directory; failed_precondition, with what to do, where the system does not let this
  /// user mount, or a mount of Forebay is there already.
  struct Mounted;
  static Result<Mounted> mount(const MountPointOptions& options);

  MountPoint() = default;
  MountPoint(MountPoint&& other) noexcept { *this = std::move(other); }
  MountPoint& operator=(MountPoint&& other) noexcept;
  ~MountPoint() { end(); }

  /// As the kernel's table has it.
  const MountLine& line() const { return line_; }
  /// From now on the mount does not go with this object.
  void let_go() { line_ = {}; }

 private:
  void end() const;

  explicit MountPoint(MountLine line) : line_(std::move(line)) {}

  MountLine line_;  // without an id there is none
};

struct MountPoint::Mounted {
  MountPoint point;
  FileDescriptor device;
};

/// An existing folder, without links, on which no mount of Forebay is; errors as MountPoint::mount()'s.
Result<std::string> free_mount_point(const std::string& name);

/// Has the kernel read so far ahead for sequential readers; only root may.
void set_read_ahead(const MountLine& mount, uint64_t bytes);

/// Takes the mount away, also from under programs that use it, whose requests end; nothing if it has gone,
/// or if something else is mounted there. Thread safe.
void end_mount(const MountLine& mount);

/// Unmounts what is mounted at a path of the kernel's table. failed_precondition while programs use it,
/// unless `at_once`, with which they go on with what they have open, and nobody finds it any more.
Status unmount(const std::string& path, bool at_once);

}  // namespace forebay::fuse
