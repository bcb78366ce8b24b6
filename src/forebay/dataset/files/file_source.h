// A source with one file per sample: an image folder, a file list, or files with labels. Which files, in
// which order and with which labels follows the rules of DALI's readers.file.
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

/// DALI's default: names with the extensions of images and sounds.
const std::vector<std::string>& default_file_filters();

struct FileSourceOptions : SourceOptions {
  /// A folder whose subfolders are the labels, ordered by the bytes of their names. With `files` or
  /// `file_list`, the folder that relative paths start from.
  std::string file_root;

  /// A file of lines "path label": the label is the last word, the path is everything before the white space
  /// in front of it. Relative paths start from file_root, or from the list's own folder. Excludes `files`.
  std::string file_list;

  /// Excludes `file_list`.
  std::vector<std::string> files;
  /// As many as `files`; empty: 0, 1, 2, ...
  std::vector<int32_t> labels;

  /// Glob patterns (`*`, `?`, `[a-z]`) for names of files and subfolders; not allowed with `files` or
  /// `file_list`.
  std::optional<std::vector<std::string>> file_filters;  // nullopt: default_file_filters()
  std::vector<std::string> dir_filters;                  // empty: all folders
  bool case_sensitive_filter = false;
};

/// invalid_argument for contradictory options or a malformed list (naming the line); not_found if no file is
/// found. A missing file of `files` or `file_list` is only noticed when it is read.
Result<std::shared_ptr<Source>> make_file_source(const FileSourceOptions& options);

}  // namespace forebay::dataset
