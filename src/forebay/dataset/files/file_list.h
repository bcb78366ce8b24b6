// Which files a data set of files has: the rules of DALI's readers.file, apart from reading anything.
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

/// Parses lines "path label". Blank lines are passed over, white space at the end of a line is cut, leading
/// white space belongs to the path, labels are not negative. `name` is the list's, for errors, which name the
/// line.
Result<std::vector<ListedFile>> parse_file_list(std::string_view text, std::string_view name);

/// Whether a name fits one of the glob patterns (fnmatch).
bool matches_any(const std::string& name, const std::vector<std::string>& patterns, bool case_sensitive);

}  // namespace forebay::dataset
