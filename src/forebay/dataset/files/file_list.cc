#include "forebay/dataset/files/file_list.h"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "forebay/dataset/index/index_words.h"

namespace forebay::dataset {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n\v\f";

Result<ListedFile> parse_line(std::string_view line, std::string_view name, size_t number) {
  const size_t label_end = line.find_last_not_of(kWhiteSpace) + 1;
  size_t label_begin = label_end;
  while (label_begin > 0 && line[label_begin - 1] >= '0' && line[label_begin - 1] <= '9') {
    --label_begin;
  }
  const size_t last_of_path =
      label_begin == 0 ? std::string_view::npos : line.find_last_not_of(kWhiteSpace, label_begin - 1);
  ListedFile file;
  const char* const end = line.data() + label_end;
  const auto [parsed, error] = std::from_chars(line.data() + label_begin, end, file.label);
  if (last_of_path == std::string_view::npos || last_of_path + 1 == label_begin || error != std::errc() ||
      parsed != end) {
    return invalid_argument("{}:{}: expected a path, white space and a label, found: {}", name, number,
                            line.substr(0, 200));
  }
  file.path = line.substr(0, last_of_path + 1);
  return file;
}

}  // namespace

Result<std::vector<ListedFile>> parse_file_list(std::string_view text, std::string_view name) {
  std::vector<ListedFile> files;
  for (size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = next_line(&text);
    if (line.find_first_not_of(kWhiteSpace) == std::string_view::npos) {
      continue;
    }
    FOREBAY_ASSIGN_OR_RETURN(ListedFile file, parse_line(line, name, number));
    files.push_back(std::move(file));
  }
  return files;
}

Result<std::vector<ListedFile>> parse_path_list(std::string_view text, std::string_view) {
  std::vector<ListedFile> files;
  while (!text.empty()) {
    const std::string_view line = next_line(&text);
    if (!line.empty()) {
      files.push_back({std::string(line), 0});
    }
  }
  return files;
}

bool matches_any(const std::string& name, const std::vector<std::string>& patterns, bool case_sensitive) {
  const int flags = case_sensitive ? 0 : FNM_CASEFOLD;
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), name.c_str(), flags) == 0;
  });
}

}  // namespace forebay::dataset
