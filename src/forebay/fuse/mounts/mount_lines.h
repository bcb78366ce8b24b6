// The kernel's table of mounts, /proc/self/mountinfo: which of them are ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::fuse {

/// The type of all mounts that this folder makes.
inline constexpr std::string_view kFileSystemType = "fuse.forebay";

struct MountLine {
  int id = 0;
  std::string device;  // "0:45"
  std::string path;
  std::string type;
  std::string source;
  /// By which the kernel knows this mount and never another one, while `id` and `device` are used again
  /// (Linux 6.8); 0 if that is not known. The table does not say it.
  uint64_t unique = 0;

  bool operator==(const MountLine&) const = default;
};

/// The lines that can be read, in their order: of several at one path the last one is what programs see.
std::vector<MountLine> parse_mount_lines(std::string_view text);

Result<std::vector<MountLine>> read_mount_lines();

/// MountLine::unique of what is mounted at a path; 0 where the kernel does not tell.
uint64_t unique_mount_at(const std::string& path);
/// Whether no mount has this number; false where the kernel does not tell, or none is given.
bool has_mount_gone(uint64_t unique);

/// The line of one mount, wherever it has been moved to; nothing if it has gone, whoever has its numbers now.
std::optional<MountLine> find_same_mount(const std::vector<MountLine>& lines, const MountLine& mount);

/// What programs see at this path, if it is a mount of ours; by an absolute path without links.
std::optional<MountLine> find_own_mount(const std::vector<MountLine>& lines, std::string_view path);

/// The mount of ours that programs see at what a user calls this; nothing if there is none. Links are
/// followed.
Result<std::optional<MountLine>> own_mount_at(const std::string& name);

/// A mount point as the kernel's table has it: absolute, without links. What is mounted there is not touched,
/// since it may not answer any more.
Result<std::string> mount_path(const std::string& name);

}  // namespace forebay::fuse
