// The two processes of a mount in the file system: a supervisor, which the command becomes, and a server. See
// docs/design/fuse.md.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "forebay/base/status.h"
#include "forebay/cli/command/background.h"
#include "forebay/fuse/files/file_system.h"

namespace forebay::cli {

/// What a process of a mount is there for: an option of the command, which only Forebay itself gives.
enum class MountPart : uint8_t {
  kStarter,        // what a user calls
  kFirst,          // mounts, and is the supervisor of what it has mounted
  kSupervisor,     // in place of one that was killed
  kServer,         // answers the kernel
  kCarefulServer,  // and fails what servers before may have died of
};

struct MountSettings {
  MountPart part = MountPart::kStarter;
  std::string mount_point;  // absolute
  std::string shown;        // absolute, if it is a path
  std::string mounted_as;   // a supervisor's: which mount of the kernel's table it is
  std::string source;       // what the kernel's table says of it
  bool is_for_others = false;
  bool is_read_only = false;
  bool uses_rings = false;  // FUSE over io_uring, where the kernel has it enabled
  bool in_foreground = false;
  size_t threads = 0;
};

/// What a mount shows. No store is asked for anything.
using FilesToShow = std::function<Result<fuse::FileSystemOptions>()>;

/// The starter's last step: from here on it is the supervisor, with a process number that stays the same.
/// Returns only if that fails.
Status become_supervisor(const MountSettings& settings, const Background* background);

/// What another part than the starter does, until the mount has gone.
Status run_part(const MountSettings& settings, const FilesToShow& files);

}  // namespace forebay::cli
