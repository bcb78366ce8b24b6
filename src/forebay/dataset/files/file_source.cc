#include "forebay/dataset/files/file_source.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "forebay/base/random/random.h"
#include "forebay/base/run_parallel.h"
#include "forebay/dataset/files/file_list.h"
#include "forebay/dataset/files/folder_versions.h"
#include "forebay/dataset/index/stat_paths.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

/// Explains why `file_root`, which has `num_folders` subfolders, gave no files.
Status no_files_in(const std::string& file_root, const storage::ObjectAddress& root, size_t num_folders) {
  const std::optional<std::string> path = root.store->local_file(root.key);
  std::error_code error;
  if (path && std::filesystem::is_regular_file(std::filesystem::path(*path + "/.").parent_path(), error)) {
    return not_found("file_root {}: this is a file, not a folder; give it to `files`", file_root);
  }
  if (path && !std::filesystem::exists(*path, error)) {
    return not_found("file_root {}: there is no such folder", file_root);
  }
  if (num_folders == 0) {
    return not_found("file_root {}: no files found, because it has no subfolders; their names are the labels",
                     file_root);
  }
  return not_found("file_root {}: no files found in its {} subfolders that match `file_filters`", file_root,
                   num_folders);
}

class FileSource final : public IndexedSource {
 public:
  FileSource(std::shared_ptr<const SampleIndex> index, std::string root, const SourceOptions& options)
      : IndexedSource(std::move(index), std::move(root), options) {}

  int num_fields() const override { return 2; }

  void read(int64_t index, const ReadFlags& flags, RecordCallback done) const override {
    if (const Status status = check_index(index); !status.ok()) {
      done(status);
      return;
    }
    const SampleRow row = this->index().row(index);
    read_row(index, row, flags, true, 0,
             [this, index, row, done = std::move(done)](Result<storage::ReadBytes> read) mutable {
               done(read.ok() ? record_of(index, row, *read) : Result<Record>(read.status()));
             });
  }

  Result<SampleLocation> locate(int64_t index) const override {
    FOREBAY_RETURN_IF_ERROR(check_index(index));
    const SampleRow row = this->index().row(index);
    return SampleLocation{path_of(row.object), 0, row.length_bytes, row.label};
  }

  void plan(int64_t index, std::vector<PlannedRead>* reads) const override {
    const size_t before = reads->size();
    IndexedSource::plan(index, reads);
    if (reads->size() > before) {
      reads->back().range.is_to_end = true;
    }
  }

 private:
  Result<Record> record_of(int64_t index, const SampleRow& row, const storage::ReadBytes& read) const {
    Record record;
    record.index = index;
    record.origin = origin_of(row.object, 0, read.size_bytes());
    if (read.size_bytes() == 0) {
      return sample_error(data_loss("{}: the file is empty", record.origin.object), index, record.origin);
    }
    Result<tensor::Tensor> label = tensor::Tensor::allocate({tensor::Shape{1}, tensor::DType::kInt32, {}});
    if (!label.ok()) {
      return sample_error(label.status(), index, record.origin);
    }
    *static_cast<int32_t*>(label->mutable_data()) = static_cast<int32_t>(row.label);
    record.fields.reserve(2);
    record.fields.push_back(byte_tensor(storage::buffer_of(read), 0, read.size_bytes()));
    record.fields.push_back(*std::move(label));
    return record;
  }
};

using IndexResult = Result<std::shared_ptr<const SampleIndex>>;

uint64_t parameters_of(const FileSourceOptions& options) {
  uint64_t hash = hash64("file_source 2");
  const auto add = [&hash](std::string_view text) { hash = mix64(hash, hash64(text)); };
  for (const std::string& filter : options.file_filters ? *options.file_filters : default_file_filters()) {
    add(filter);
  }
  add("dirs");
  for (const std::string& filter : options.dir_filters) {
    add(filter);
  }
  add(options.case_sensitive_filter ? "case" : "no case");
  return hash;
}

uint64_t parameters_of(const std::vector<ListedFile>& files) {
  uint64_t hash = hash64("file_list 2");
  for (const ListedFile& file : files) {
    hash = mix64(mix64(hash, hash64(file.path)), static_cast<uint64_t>(file.label));
  }
  return hash;
}

Result<std::vector<std::string>> folders_of(const storage::ObjectAddress& root,
                                            const FileSourceOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(
      const storage::ListPage page,
      storage::list_all_now(*root.store, {.prefix = root.key, .delimiter = "/", .names_only = true}));
  std::vector<std::string> names;
  for (const std::string& prefix : page.prefixes) {
    std::string name = prefix.substr(root.key.size(), prefix.size() - root.key.size() - 1);
    if (options.dir_filters.empty() ||
        matches_any(name, options.dir_filters, options.case_sensitive_filter)) {
      names.push_back(std::move(name));
    }
  }
  std::sort(names.begin(), names.end());  // without the "/": "a" before "a-b"
  return names;
}

/// Stats folders before they are listed, if there is an index file to store the result. Thread safe.
class FolderRecorder {
 public:
  explicit FolderRecorder(const FileSourceOptions& options) {
    if (!options.index_file.empty()) {
      index_ = registry_of(options).resolve(options.index_file);
    }
  }

  std::optional<storage::ObjectStat> look_at(const storage::ObjectAddress& folder) const {
    return index_.ok() ? folder_before_listing(folder, *index_) : std::nullopt;
  }

 private:
  Result<storage::ObjectAddress> index_ = not_found("the index stays in memory");
};

/// The files of one folder, and its stat from before they were listed.
struct FolderFiles {
  std::optional<storage::ObjectStat> folder;
  std::vector<storage::ObjectStat> files;
  Status status;
};

FolderFiles list_folder(const storage::ObjectAddress& folder, const FileSourceOptions& options,
                        const FolderRecorder& recorder) {
  const std::vector<std::string>& filters =
      options.file_filters ? *options.file_filters : default_file_filters();
  FolderFiles found;
  found.folder = recorder.look_at(folder);
  found.status = storage::list_pages_now(
      *folder.store, {.prefix = folder.key, .delimiter = "/"}, [&](const storage::ListPage& page) {
        for (const storage::ObjectStat& object : page.objects) {
          if (matches_any(object.key.substr(folder.key.size()), filters, options.case_sensitive_filter)) {
            found.files.push_back(object);
          }
        }
        return ok_status();
      });
  return found;
}

IndexResult index_folder(const storage::ObjectAddress& root, const FileSourceOptions& options) {
  SampleIndexBuilder builder;
  const FolderRecorder recorder(options);
  if (const auto stat = recorder.look_at(root)) {
    builder.add_object(std::string(kThisFolder), *stat);
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::string> folders, folders_of(root, options));
  std::vector<FolderFiles> found(folders.size());
  run_parallel(folders.size(), [&](size_t label) {
    found[label] = list_folder({root.store, root.key + folders[label] + "/"}, options, recorder);
  });
  for (size_t label = 0; label < folders.size(); ++label) {
    FOREBAY_RETURN_IF_ERROR(found[label].status);
    if (found[label].folder) {
      builder.add_object(folders[label] + "/", *found[label].folder);
    }
    for (const storage::ObjectStat& object : found[label].files) {
      SampleRow row;
      row.object = builder.add_object(object.key.substr(root.key.size()), object);
      row.length_bytes = object.size_bytes;
      row.label = static_cast<int64_t>(label);
      builder.add_row(row);
    }
    found[label] = {};
  }
  if (builder.num_samples() == 0) {
    return no_files_in(options.file_root, root, folders.size());
  }
  return builder.finish(parameters_of(options));
}

/// A file of a list: its first mention and its stat.
struct KnownFile {
  std::string_view path;
  uint32_t object = 0;
  storage::ObjectStat stat;
};

/// A missing file is only noticed when it is read.
IndexResult index_files(const std::vector<ListedFile>& files, const std::string& root,
                        const storage::StoreRegistry& registry) {
  std::vector<KnownFile> known;
  std::unordered_map<std::string_view, size_t> places;
  for (const ListedFile& file : files) {
    if (places.try_emplace(file.path, known.size()).second) {
      known.push_back({.path = file.path, .stat = {.size_bytes = kUnknownSize}});
    }
  }
  const auto path_of = [&](size_t i) { return storage::join_path(root, known[i].path); };
  FOREBAY_RETURN_IF_ERROR(
      stat_paths(registry, known.size(), path_of, [&](size_t i, Result<storage::ObjectStat> stat) {
        if (stat.ok()) {
          known[i].stat = *std::move(stat);
        }
      }));
  SampleIndexBuilder builder;
  for (KnownFile& file : known) {
    file.object = builder.add_object(std::string(file.path), file.stat);
  }
  for (const ListedFile& file : files) {
    const KnownFile& found = known[places[file.path]];
    SampleRow row;
    row.object = found.object;
    row.length_bytes = found.stat.size_bytes == kUnknownSize ? 0 : found.stat.size_bytes;
    row.label = file.label;
    builder.add_row(row);
  }
  return builder.finish(parameters_of(files));
}

Result<std::vector<ListedFile>> listed_files(const FileSourceOptions& options) {
  if (!options.file_list.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress list,
                             registry_of(options).resolve(options.file_list));
    FOREBAY_ASSIGN_OR_RETURN(const storage::ReadBytes read,
                             storage::read_now(*list.store, {.key = list.key}));
    const std::string_view text(reinterpret_cast<const char*>(read.bytes.data()), read.bytes.size());
    return parse_file_list(text, options.file_list);
  }
  if (!options.labels.empty() && options.labels.size() != options.files.size()) {
    return invalid_argument("{} labels for {} files", options.labels.size(), options.files.size());
  }
  std::vector<ListedFile> files;
  files.reserve(options.files.size());
  for (size_t i = 0; i < options.files.size(); ++i) {
    files.push_back({options.files[i], options.labels.empty() ? static_cast<int32_t>(i) : options.labels[i]});
  }
  return files;
}

Result<std::shared_ptr<Source>> make_list_source(const FileSourceOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<ListedFile> files, listed_files(options));
  if (files.empty()) {
    return not_found("{}: no files found", options.file_list.empty() ? "files" : options.file_list);
  }
  const bool beside_list = options.file_root.empty() && !options.file_list.empty();
  const std::string root =
      beside_list ? std::string(storage::parent_path(options.file_list)) : options.file_root;
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const SampleIndex> index,
                           open_or_build_index(options, root, parameters_of(files), 1, [&] {
                             return index_files(files, root, registry_of(options));
                           }));
  return std::make_shared<FileSource>(std::move(index), root, options);
}

Result<std::shared_ptr<Source>> make_folder_source(const FileSourceOptions& options) {
  // With a trailing "/", so that a folder that is itself a mount point is found in its mount.
  const std::string folder = options.file_root.ends_with('/') ? options.file_root : options.file_root + "/";
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress root, registry_of(options).resolve(folder));
  const auto build = [&] { return index_folder(root, options); };
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const SampleIndex> index,
                           open_or_build_index(options, options.file_root, parameters_of(options), 1, build));
  return std::make_shared<FileSource>(std::move(index), options.file_root, options);
}

}  // namespace

const std::vector<std::string>& default_file_filters() {
  static const std::vector<std::string> filters = {"*.jpg",  "*.jpeg", "*.png",  "*.bmp", "*.tif",
                                                   "*.tiff", "*.pnm",  "*.ppm",  "*.pgm", "*.pbm",
                                                   "*.jp2",  "*.webp", "*.flac", "*.ogg", "*.wav"};
  return filters;
}

Result<std::shared_ptr<Source>> make_file_source(const FileSourceOptions& options) {
  if (!options.files.empty() && !options.file_list.empty()) {
    return invalid_argument("files are given by `files` or by `file_list`, not by both");
  }
  if (!options.labels.empty() && options.files.empty()) {
    return invalid_argument("`labels` go with `files`");
  }
  if (!options.files.empty() || !options.file_list.empty()) {
    return make_list_source(options);
  }
  if (options.file_root.empty()) {
    return invalid_argument("one of `file_root`, `files` and `file_list` is needed");
  }
  return make_folder_source(options);
}

}  // namespace forebay::dataset
