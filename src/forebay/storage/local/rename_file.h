// Renames that replace nothing, also on file systems that cannot rename so.
#pragma once

#include <string>

namespace forebay::storage {

/// renameat2(2).
using RenameCall = int (*)(int from_folder, const char* from, int to_folder, const char* to, unsigned flags);

/// 0, or -1 and errno: EEXIST if something is at `to`. Where the file system or the kernel cannot tell
/// (RENAME_NOREPLACE: NFS, and most of FUSE), a file is linked and its old name removed; in between it has
/// both, and where no link can be made either, or `from` is a folder, the errno is that of the rename.
int rename_to_free_name(const std::string& from, const std::string& to, RenameCall rename);
int rename_to_free_name(const std::string& from, const std::string& to);

}  // namespace forebay::storage
