// A web server's machine-readable index of a folder: what nginx writes with `autoindex_format json`, an array
// of objects with name, type, mtime and size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::storage {

struct HttpIndexEntry {
  std::string name;  // of a file or, with a "/" at its end, of a folder; never empty, "." or ".."
  uint64_t size_bytes = 0;
  int64_t modified_ns = 0;  // 0 if unknown
};

/// Entries that are neither files nor folders are left out, as are names that are no names of one level.
/// data_loss for text that is no such index.
Result<std::vector<HttpIndexEntry>> parse_http_index(std::string_view json);

}  // namespace forebay::storage
