// A source with one file per sample: an image folder, a file list, or files with labels. Which files, in
// which order and with which labels follows the rules of DALI's readers.file.
//
// Fields: {the file's bytes, uint8 [n]; its label, int32 [1]}.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "forebay/dataset/files/file_index.h"
#include "forebay/dataset/index/indexed_source.h"

namespace forebay::dataset {

/// DALI's default: names with the extensions of images and sounds.
const std::vector<std::string>& default_file_filters();

/// Those of them that are pictures.
const std::vector<std::string>& picture_file_filters();

/// In file_root, the subfolders are the labels. A line of file_list is "path label": the label is the last
/// word, the path is everything before the white space in front of it.
struct FileSourceOptions : FileListing {
  /// As many as `files`; empty: 0, 1, 2, ...
  std::vector<int32_t> labels;

  /// Glob patterns (`*`, `?`, `[a-z]`) for names of files and subfolders of file_root; without effect on
  /// `files` and `file_list`.
  std::vector<std::string> file_filters = default_file_filters();
  std::vector<std::string> dir_filters;  // empty: all folders
  bool case_sensitive_filter = false;
};

/// invalid_argument for options that contradict each other.
Status check(const FileSourceOptions& options);

/// invalid_argument for contradictory options or a malformed list (naming the line); not_found if no file is
/// found. A missing file of `files` or `file_list` is only noticed when it is read.
Result<std::shared_ptr<Source>> make_file_source(const FileSourceOptions& options);

}  // namespace forebay::dataset
