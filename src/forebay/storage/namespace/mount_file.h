// The mount table as a file of JSON, for the database and for tables that people write:
//
//   {"mounts": [{"path": "/data", "uri": "s3://bucket/data", "options": {"region": "eu-west-1"},
//                "read_only": true, "immutable": true, "bytes_per_s": 1000000, "requests_per_s": 100}]}
//
// Only `path` and `uri` are required. Text that is not UTF-8, which a path may be, stands as {"hex": "2fff"}.
#pragma once

#include <string>
#include <string_view>

#include "forebay/storage/namespace/mount_table.h"

namespace forebay::storage {

/// Longer files are refused.
inline constexpr size_t kMaxMountFileBytes = size_t{64} << 20;

/// data_loss or invalid_argument; the message names `file` and the mount, and shows no option's value.
Result<MountTable> parse_mounts(std::string_view text, std::string_view file);

std::string format_mounts(const MountTable& table);

}  // namespace forebay::storage
