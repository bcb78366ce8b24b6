// The index of a data set with one file a sample: which files it has, from a folder or a list, in which
// order.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/dataset/files/file_list.h"
#include "forebay/dataset/index/indexed_source.h"

namespace forebay::dataset {

/// Where the files are named: in exactly one of three ways.
struct FileListing : SourceOptions {
  /// A folder that is looked through. With `files` or `file_list`, the folder that relative paths start from.
  std::string file_root;
  /// A file with a line for each file. Relative paths start from file_root, or from the list's own folder.
  std::string file_list;
  std::vector<std::string> files;
};

/// invalid_argument if the files are named in no way, or by two lists.
Status check_listing(const FileListing& listing);

/// How a folder is looked through. Glob patterns: `*`, `?`, `[a-z]`.
struct FolderRules {
  std::vector<std::string> file_filters;
  std::vector<std::string> dir_filters;  // empty: all folders
  bool is_case_sensitive = true;
  bool takes_root = false;  // also the files of the root itself, before those of its subfolders
};

/// The rules of readers of one kind of file: all that match, in a folder and its subfolders.
FolderRules root_and_folders(const std::string& file_filter);

/// The files, and what their paths are relative to.
struct FileIndex {
  std::shared_ptr<const SampleIndex> index;
  std::string root;
};

using ParseFileList =
    std::function<Result<std::vector<ListedFile>>(std::string_view text, std::string_view name)>;

/// Opens or makes the index. `labels` are those of `files`: as many, or none, which numbers them. The label
/// of a file in a folder is the folder's place among the subfolders, ordered by the bytes of their names. A
/// missing file of `files` or `file_list` is only noticed when it is read. not_found if no file is found.
Result<FileIndex> open_file_index(const FileListing& listing, const std::vector<int32_t>& labels,
                                  const FolderRules& rules, const ParseFileList& parse_list);

}  // namespace forebay::dataset
