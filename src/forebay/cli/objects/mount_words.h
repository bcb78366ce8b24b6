// The words of `forebay mount` and `forebay unmount`.
#pragma once

#include <string>
#include <vector>

#include "forebay/storage/namespace/mount_entry.h"

namespace forebay::cli {

/// The URI of what is mounted; a plain path becomes a file:// URI.
Result<std::string> mount_uri(const std::string& word);

enum class OptionsFrom { kCommandLine, kFile };

/// Takes NAME=VALUE words into the entry, whose URI is set. A secret on a command line is refused, because
/// others can read it there. No error shows a value.
Status take_options(const std::vector<std::string>& words, OptionsFrom from, storage::MountEntry& entry);

/// The options of all schemes, as `forebay mount --help` shows them.
std::string options_text(const storage::StoreRegistry& registry);

}  // namespace forebay::cli
