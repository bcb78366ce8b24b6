// The command lines of a mount's processes: the user's words, and in front of them what a process needs
// beside.
#pragma once

#include <string>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/cli/mounting/mount_processes.h"
#include "forebay/fuse/mounts/mount_lines.h"

namespace CLI {
class App;
}

namespace forebay::cli {

/// What only Forebay itself gives, without a word in the help: --part, --at, --shows, --mounted-as.
void add_part_options(CLI::App& command, MountSettings& settings);

/// The words of this process, as those of another part of the same mount.
std::vector<std::string> words_as(const MountSettings& settings, MountPart part);
std::vector<std::string> words_as(const MountSettings& settings, MountPart part,
                                  const std::vector<std::string>& words);

/// A mount, for --mounted-as: "57,0:45".
std::string mounted_text(const fuse::MountLine& line);
/// That mount; invalid_argument for other texts.
Result<fuse::MountLine> mounted_line(const MountSettings& settings);

}  // namespace forebay::cli
