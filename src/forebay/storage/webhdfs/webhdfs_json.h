// What namenodes and datanodes answer, which is JSON. What is larger or stranger than an answer can be is
// data_loss; no text from outside is copied into an error but the name and the message of an exception, cut
// short.
//
// Source: Apache Hadoop, "WebHDFS REST API", 3.4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/storage/http/service_error.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Limit of a list of a folder's entries.
inline constexpr size_t kMaxWebhdfsListBytes = 32 << 20;
/// Limit of every other answer.
inline constexpr size_t kMaxWebhdfsJsonBytes = 256 << 10;

/// A file or a folder. What is neither has no status.
struct WebhdfsStatus {
  std::string name;  // within its folder; empty where the answer is about one path
  bool is_folder = false;
  uint64_t size_bytes = 0;
  int64_t modified_ms = 0;  // since the Unix epoch
  uint64_t file_id = 0;     // of the inode; 0 from servers that do not tell
  uint64_t children = 0;    // of a folder

  /// A file's time of modification, size and inode; of a folder the number of entries in place of the size.
  std::string version() const;
  ObjectStat stat(std::string key) const;
};

/// The size that a file of this version has; nothing for what is no version.
std::optional<uint64_t> size_in_webhdfs_version(std::string_view version);

/// GETFILESTATUS.
Result<WebhdfsStatus> parse_webhdfs_status(std::string_view json);

/// Some of a folder's entries, in the server's order.
struct WebhdfsListing {
  std::vector<WebhdfsStatus> entries;
  bool is_last = true;
  std::string last_name;  // of all entries, also those that are neither files nor folders
};

/// LISTSTATUS_BATCH and LISTSTATUS. Of a path that is a file: no entry.
Result<WebhdfsListing> parse_webhdfs_list(std::string_view json);

/// What MKDIRS, DELETE and RENAME answer.
Result<bool> parse_webhdfs_boolean(std::string_view json);

/// Where the second step of CREATE and APPEND goes; may hold secrets.
Result<std::string> parse_webhdfs_location(std::string_view json);

/// The code where a part of the path is a file.
inline constexpr std::string_view kBelowAFile = "ParentNotDirectoryException";

/// The exception that an answer without success carries: its class is the code.
ServiceFailure webhdfs_failure(const net::HttpResponse& answer);

/// The error for an answer without success. The exception decides where the HTTP status is not enough.
Status webhdfs_error(const net::HttpResponse& answer, std::string_view uri);

}  // namespace forebay::storage
