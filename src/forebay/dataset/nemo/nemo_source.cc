#include "forebay/dataset/nemo/nemo_source.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "forebay/dataset/files/listed_index.h"
#include "forebay/dataset/files/whole_file_source.h"
#include "forebay/dataset/nemo/nemo_manifest.h"
#include "forebay/dataset/opening.h"
#include "forebay/memory/copy.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

class NemoSource final : public WholeFileSource {
 public:
  NemoSource(std::shared_ptr<const SampleIndex> index, const NemoOptions& options, NemoEntries entries)
      : WholeFileSource(std::move(index), "", options), entries_(std::move(entries)) {}

  int num_fields() const override { return 4; }

 private:
  Status add_fields(int64_t index, const SampleRow&, std::vector<tensor::Tensor>* fields) const override {
    const NemoEntry& entry = entries_.entries[static_cast<size_t>(index)];
    FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor part,
                             tensor::Tensor::allocate({{2}, tensor::DType::kFloat64, {}}));
    auto* const seconds = static_cast<double*>(part.mutable_data());
    seconds[0] = entry.offset_s;
    // A duration alone chooses entries; who wants a part says where it begins.
    seconds[1] = entry.offset_s < 0 ? kUnknownSeconds : entry.duration_s;
    const std::string_view transcript = entries_.text(static_cast<size_t>(index));
    FOREBAY_ASSIGN_OR_RETURN(
        tensor::Tensor text,
        tensor::Tensor::allocate({{static_cast<int64_t>(transcript.size())}, tensor::DType::kUint8, {}}));
    if (!transcript.empty()) {
      memory::copy(text.mutable_data(), transcript.data(), transcript.size());
    }
    FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor number,
                             tensor::Tensor::allocate({{1}, tensor::DType::kInt64, {}}));
    *static_cast<int64_t*>(number.mutable_data()) = index;
    fields->push_back(std::move(part));
    fields->push_back(std::move(text));
    fields->push_back(std::move(number));
    return ok_status();
  }

  const NemoEntries entries_;
};

/// The path as the store registry takes it.
std::string path_from(const std::string& manifest, bool is_local, std::string path) {
  if (path.starts_with('/') || path.find("://") != std::string::npos) {
    return path;
  }
  std::error_code error;
  if (is_local && std::filesystem::is_regular_file(path, error)) {
    return path;
  }
  const std::string folder(storage::parent_path(manifest));
  return folder.empty() ? path : folder + (folder.ends_with('/') ? "" : "/") + path;
}

Status add_manifest(const NemoOptions& options, const std::string& manifest, NemoEntries* entries) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, registry_of(options).resolve(manifest));
  const std::string shown = storage::uri_for_message(manifest);
  const auto read = storage::read_now(*address.store, {.key = address.key}, opening());
  FOREBAY_RETURN_IF_ERROR(annotate(read.status(), shown));
  const size_t before = entries->entries.size();
  const std::string_view text(reinterpret_cast<const char*>(read->bytes.data()), read->bytes.size());
  FOREBAY_RETURN_IF_ERROR(
      parse_nemo_manifest(text, shown, {options.min_duration, options.max_duration}, entries));
  const bool is_local = address.store->local_file(address.key).has_value();
  for (size_t i = before; i < entries->entries.size(); ++i) {
    entries->entries[i].path = path_from(manifest, is_local, std::move(entries->entries[i].path));
  }
  return ok_status();
}

}  // namespace

Status check(const NemoOptions& options) {
  return options.manifest_filepaths.empty() ? invalid_argument("`manifest_filepaths` names no manifest")
                                            : ok_status();
}

Result<std::shared_ptr<Source>> make_nemo_source(const NemoOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check(options));
  NemoEntries entries;
  for (const std::string& manifest : options.manifest_filepaths) {
    FOREBAY_RETURN_IF_ERROR(add_manifest(options, manifest, &entries));
  }
  std::vector<ListedFile> files;
  files.reserve(entries.entries.size());
  for (NemoEntry& entry : entries.entries) {
    files.push_back({std::exchange(entry.path, {}), static_cast<int32_t>(files.size())});
  }
  if (files.empty()) {
    const bool is_bounded = options.min_duration > 0 || options.max_duration > 0;
    return no_samples(
        storage::uri_for_message(options.manifest_filepaths[0]),
        is_bounded ? "no entry has a duration within `min_duration` and `max_duration`" : "no entries");
  }
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const SampleIndex> index,
                           open_or_build_index(options, "", parameters_of_list(files), 1,
                                               [&] { return index_listed_files(files, "", options); }));
  return std::make_shared<NemoSource>(std::move(index), options, std::move(entries));
}

}  // namespace forebay::dataset
