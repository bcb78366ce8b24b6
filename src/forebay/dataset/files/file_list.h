// Which files belong to a data set of files: the rules of DALI's readers.file, without reading any file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::dataset {

struct ListedFile {
  std::string path;
  int32_t label = 0;
};

/// Parses lines "path label". Blank lines are skipped, white space at the end of a line is removed, leading
/// white space belongs to the path, labels must not be negative. Errors name the list (`name`) and the line.
Result<std::vector<ListedFile>> parse_file_list(std::string_view text, std::string_view name);

/// Takes each line as a path, byte for byte; empty lines are skipped.
Result<std::vector<ListedFile>> parse_path_list(std::string_view text, std::string_view name);

/// Whether a name matches one of the glob patterns (fnmatch).
bool matches_any(const std::string& name, const std::vector<std::string>& patterns, bool case_sensitive);

}  // namespace forebay::dataset
