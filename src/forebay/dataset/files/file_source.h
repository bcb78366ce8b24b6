// One sample a file: the image folder, the list of files, files with labels. The rules (which files, in which
// order, with which labels) are those of DALI's readers.file.
//
// Fields: {the file's bytes, uint8 [n]; its label, int32 [1]}.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/dataset/index/indexed_source.h"

namespace forebay::dataset {

/// DALI's default: names that end as images and sounds do.
const std::vector<std::string>& default_file_filters();

struct FileSourceOptions : SourceOptions {
  /// A folder whose subfolders are the labels, in order of their names' bytes; with `files` or `file_list`,
  /// what relative paths are relative to.
  std::string file_root;

  /// Of lines "path label": the label is the last word, the path all before the white space in front of it.
  /// Relative paths are relative to file_root, or to the list itself. Excludes `files`.
  std::string file_list;

  /// Excludes `file_list`.
  std::vector<std::string> files;
  /// As many as `files`; empty: 0, 1, 2...
  std::vector<int32_t> labels;

  /// Glob patterns (`*`, `?`, `[a-z]`) for names of files and of subfolders; only without `files` and
  /// `file_list`.
  std::optional<std::vector<std::string>> file_filters;  // nothing: default_file_filters()
  std::vector<std::string> dir_filters;                  // none: all
  bool case_sensitive_filter = false;
};

/// invalid_argument for options that contradict each other or a malformed list (naming its line); not_found
/// when nothing is found. With `files` or `file_list` a file that is missing is found out when it is read.
Result<std::shared_ptr<Source>> make_file_source(const FileSourceOptions& options);

}  // namespace forebay::dataset
