// An open file and what is known about it.
#pragma once

#include <string>
#include <string_view>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"
#include "forebay/storage/local/file_status.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

struct OpenFile {
  FileDescriptor descriptor;
  FileStatus status;
};

/// Opens a regular file for reading; invalid_argument for anything else. Never blocks on the other end of a
/// pipe.
Result<OpenFile> open_file(const std::string& path, std::string_view uri);

/// The error of a path that could not be opened or looked at; it says where a link leads nowhere.
Status path_error(int error_number, const std::string& path, std::string_view uri);

/// Whether the path is a symbolic link whose target is not there.
bool is_broken_link(const std::string& path);

ObjectStat object_stat_of(const FileStatus& status, std::string key);

/// aborted if the content of the open file has changed since `before`: what was read of it may be of both. A
/// file that was replaced or removed meanwhile is still all of one version.
Status check_unchanged(int descriptor, const FileStatus& before, std::string_view uri);

/// Writes all of `content`.
Status write_all(int descriptor, Bytes content, std::string_view uri);

/// Whether a path relative to some root leaves it through "..".
bool leaves_root(std::string_view key);

/// Creates `path` and its parents.
Status make_directories(const std::string& path);

/// Prefix of the names of files being written; such files are never listed.
inline constexpr std::string_view kTemporaryPrefix = ".forebay-tmp-";

/// A new name beside `path` for what will become it.
Result<std::string> temporary_name(const std::string& path);

}  // namespace forebay::storage
