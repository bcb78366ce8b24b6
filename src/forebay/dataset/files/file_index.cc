#include "forebay/dataset/files/file_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "forebay/base/random/random.h"
#include "forebay/dataset/files/listed_index.h"
#include "forebay/dataset/index/folder_versions.h"
#include "forebay/dataset/index/scan_progress.h"
#include "forebay/dataset/opening.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/local/local_file.h"
#include "forebay/storage/parallel_calls.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

using IndexResult = Result<std::shared_ptr<const SampleIndex>>;

/// Explains why `file_root`, which has `num_folders` subfolders, gave no files.
Status no_files_in(const std::string& file_root, const storage::ObjectAddress& root, size_t num_folders,
                   const FolderRules& rules) {
  const std::optional<std::string> path = root.store->local_file(root.key);
  std::error_code error;
  if (path && std::filesystem::is_regular_file(std::filesystem::path(*path + "/.").parent_path(), error)) {
    return not_found("file_root {}: this is a file, not a folder; give it to `files`", file_root);
  }
  if (path && !std::filesystem::exists(*path, error)) {
    return not_found("file_root {}: there is no such folder", file_root);
  }
  const std::string where = fmt::format("file_root {}", storage::uri_for_message(file_root));
  if (rules.takes_root) {
    return no_samples(where, fmt::format("no file in it and its {} subfolders matches '{}'", num_folders,
                                         rules.file_filters.front()));
  }
  if (num_folders == 0) {
    return no_samples(where, "it has no subfolders; their names are the labels");
  }
  return no_samples(where, fmt::format("no file in its {} subfolders matches `file_filters`", num_folders));
}

uint64_t parameters_of(const FolderRules& rules) {
  uint64_t hash = hash64("file_source 3");
  const auto add = [&hash](std::string_view text) { hash = mix64(hash, hash64(text)); };
  std::ranges::for_each(rules.file_filters, add);
  add("dirs");
  std::ranges::for_each(rules.dir_filters, add);
  add(rules.is_case_sensitive ? "case" : "no case");
  if (rules.takes_root) {
    add("root");
  }
  return hash;
}

bool is_broken_link(const storage::ObjectAddress& root, const std::string& key) {
  const std::optional<std::string> path = root.store->local_file(key);
  return path && storage::is_broken_link(*path);
}

/// The classes: a link to a folder that is not there keeps its place among the labels.
Result<std::vector<std::string>> folders_of(const storage::ObjectAddress& root, const FolderRules& rules) {
  FOREBAY_ASSIGN_OR_RETURN(
      const storage::ListPage page,
      storage::list_all_now(*root.store, {.prefix = root.key, .delimiter = "/", .names_only = true},
                            opening()));
  std::vector<std::string> names;
  const auto add = [&](std::string name) {
    if (rules.dir_filters.empty() || matches_any(name, rules.dir_filters, rules.is_case_sensitive)) {
      names.push_back(std::move(name));
    }
  };
  for (const std::string& prefix : page.prefixes) {
    add(prefix.substr(root.key.size(), prefix.size() - root.key.size() - 1));
  }
  for (const storage::ObjectStat& object : page.objects) {
    std::string name = object.key.substr(root.key.size());
    const bool may_be_file =
        rules.takes_root || matches_any(name, rules.file_filters, rules.is_case_sensitive);
    if (!may_be_file && is_broken_link(root, object.key)) {
      add(std::move(name));
    }
  }
  std::sort(names.begin(), names.end());  // without the "/": "a" before "a-b"
  return names;
}

/// Stats folders before they are listed, if there is an index file to store the result. Thread safe.
class FolderRecorder {
 public:
  explicit FolderRecorder(const FileListing& listing) {
    if (!listing.index_file.empty()) {
      index_ = registry_of(listing).resolve(listing.index_file);
    }
  }

  Result<std::optional<storage::ObjectStat>> look_at(const storage::ObjectAddress& folder) const {
    if (!index_.ok()) {
      return std::nullopt;
    }
    return folder_before_listing(folder, *index_);
  }

 private:
  Result<storage::ObjectAddress> index_ = not_found("the index stays in memory");
};

/// The files of one folder, and its stat from before they were listed.
struct FolderFiles {
  std::optional<storage::ObjectStat> folder;
  std::vector<storage::ObjectStat> files;
};

Status list_folder(const storage::ObjectAddress& folder, const FolderRules& rules,
                   const FolderRecorder& recorder, FolderFiles* found) {
  FOREBAY_ASSIGN_OR_RETURN(found->folder, recorder.look_at(folder));
  const auto take = [&](const storage::ListPage& page) {
    for (const storage::ObjectStat& object : page.objects) {
      if (!marks_folder(object) &&
          matches_any(object.key.substr(folder.key.size()), rules.file_filters, rules.is_case_sensitive)) {
        found->files.push_back(object);
      }
    }
    return ok_status();
  };
  FOREBAY_RETURN_IF_ERROR(
      storage::list_pages_now(*folder.store, {.prefix = folder.key, .delimiter = "/"}, take, opening()));
  const std::string name = folder.key.substr(0, folder.key.size() - 1);
  if (found->files.empty() && folder.key.ends_with('/') && is_broken_link(folder, name)) {
    found->files.push_back({.key = name});  // a sample that cannot be read
  }
  return ok_status();
}

IndexResult index_folder(const storage::ObjectAddress& root, const FileListing& listing,
                         const FolderRules& rules) {
  SampleIndexBuilder builder;
  const FolderRecorder recorder(listing);
  FOREBAY_ASSIGN_OR_RETURN(const std::optional<storage::ObjectStat> root_stat, recorder.look_at(root));
  if (root_stat) {
    builder.add_object(std::string(kThisFolder), *root_stat);
  }
  FOREBAY_ASSIGN_OR_RETURN(std::vector<std::string> folders, folders_of(root, rules));
  for (std::string& folder : folders) {
    folder += "/";
  }
  const size_t num_folders = folders.size();
  if (rules.takes_root) {
    folders.insert(folders.begin(), "");
  }
  std::vector<FolderFiles> found(folders.size());
  ScanProgress progress(listing.progress, folders.size());
  FOREBAY_RETURN_IF_ERROR(storage::run_parallel_calls(folders.size(), [&](size_t place) {
    FOREBAY_RETURN_IF_ERROR(
        list_folder({root.store, root.key + folders[place]}, rules, recorder, &found[place]));
    progress.done(place, found[place].files.size());
    return ok_status();
  }));
  for (size_t place = 0; place < folders.size(); ++place) {
    if (found[place].folder && !folders[place].empty()) {
      builder.add_object(folders[place], *found[place].folder);
    }
    for (const storage::ObjectStat& object : found[place].files) {
      SampleRow row;
      row.object = builder.add_object(object.key.substr(root.key.size()), object);
      row.length_bytes = object.size_bytes;
      row.label = static_cast<int64_t>(place);
      builder.add_row(row);
    }
    found[place] = {};
  }
  if (builder.num_samples() == 0) {
    return no_files_in(listing.file_root, root, num_folders, rules);
  }
  return builder.finish(parameters_of(rules));
}

Result<std::vector<ListedFile>> listed_files(const FileListing& listing, const std::vector<int32_t>& labels,
                                             const ParseFileList& parse_list) {
  if (!listing.file_list.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress list,
                             registry_of(listing).resolve(listing.file_list));
    FOREBAY_ASSIGN_OR_RETURN(const storage::ReadBytes read,
                             storage::read_now(*list.store, {.key = list.key}));
    const std::string_view text(reinterpret_cast<const char*>(read.bytes.data()), read.bytes.size());
    return parse_list(text, listing.file_list);
  }
  std::vector<ListedFile> files;
  files.reserve(listing.files.size());
  for (size_t i = 0; i < listing.files.size(); ++i) {
    files.push_back({listing.files[i], labels.empty() ? static_cast<int32_t>(i) : labels[i]});
  }
  return files;
}

}  // namespace

Status check_listing(const FileListing& listing) {
  if (!listing.files.empty() && !listing.file_list.empty()) {
    return invalid_argument("`files` and `file_list` cannot be given together");
  }
  if (listing.files.empty() && listing.file_list.empty() && listing.file_root.empty()) {
    return invalid_argument("one of `file_root`, `file_list` and `files` must be given");
  }
  return ok_status();
}

FolderRules root_and_folders(const std::string& file_filter) {
  FolderRules rules;
  rules.file_filters = {file_filter};
  rules.takes_root = true;
  return rules;
}

Result<FileIndex> open_file_index(const FileListing& listing, const std::vector<int32_t>& labels,
                                  const FolderRules& rules, const ParseFileList& parse_list) {
  FOREBAY_RETURN_IF_ERROR(check_listing(listing));
  FileIndex opened;
  if (listing.files.empty() && listing.file_list.empty()) {
    // With a trailing "/", so that a folder that is itself a mount point is found in its mount.
    const std::string folder = listing.file_root.ends_with('/') ? listing.file_root : listing.file_root + "/";
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress root, registry_of(listing).resolve(folder));
    opened.root = listing.file_root;
    FOREBAY_ASSIGN_OR_RETURN(opened.index,
                             open_or_build_index(listing, opened.root, parameters_of(rules), 1,
                                                 [&] { return index_folder(root, listing, rules); }));
    return opened;
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<ListedFile> files, listed_files(listing, labels, parse_list));
  if (files.empty()) {
    return no_samples(storage::uri_for_message(listing.file_list), "it names no file");
  }
  const bool beside_list = listing.file_root.empty() && !listing.file_list.empty();
  opened.root = beside_list ? std::string(storage::parent_path(listing.file_list)) : listing.file_root;
  const auto build = [&] { return index_listed_files(files, opened.root, listing); };
  FOREBAY_ASSIGN_OR_RETURN(opened.index,
                           open_or_build_index(listing, opened.root, parameters_of_list(files), 1, build));
  return opened;
}

}  // namespace forebay::dataset
