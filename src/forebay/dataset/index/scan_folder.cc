#include "forebay/dataset/index/scan_folder.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "forebay/base/log/log.h"
#include "forebay/base/random/random.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/local/local_file.h"

namespace forebay::dataset {
namespace {

constexpr size_t kHashDigits = 16;

bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// Whether a name is one that place_of() gives.
bool is_table_name(std::string_view name) {
  if (name.size() < kHashDigits + 2 || name.find('/') != std::string_view::npos) {
    return false;
  }
  const size_t hash = name.size() - kHashDigits;
  return name[hash - 1] == '-' && is_hex(name.substr(hash));
}

/// Removes what writers have left in a folder of files, which no listing shows.
void remove_half_written(const std::string& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> left;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (name.starts_with(storage::kTemporaryPrefix) &&
        is_hex(std::string_view(name).substr(storage::kTemporaryPrefix.size()))) {
      left.push_back(entry->path());
    }
  }
  for (const std::filesystem::path& file : left) {
    std::filesystem::remove(file, error);
  }
}

}  // namespace

ScanFolder::ScanFolder(const std::optional<storage::ObjectAddress>& index) : folder_(index) {
  if (folder_) {
    folder_->key += ".scan/";
  }
}

std::optional<storage::ObjectAddress> ScanFolder::place_of(std::string_view uri, std::string_view version,
                                                           std::string_view kind) const {
  if (!folder_) {
    return std::nullopt;
  }
  const uint64_t name = hash64(fmt::format("{}\n{}", uri, version));
  return storage::ObjectAddress{folder_->store, fmt::format("{}{}-{:016x}", folder_->key, kind, name)};
}

void ScanFolder::remove() const {
  if (!folder_) {
    return;
  }
  storage::ObjectStore& store = *folder_->store;
  const Result<storage::ListPage> found =
      storage::list_all_now(store, {.prefix = folder_->key, .delimiter = "/", .names_only = true});
  if (!found.ok()) {
    return;
  }
  std::vector<std::string> keys;
  for (const storage::ObjectStat& object : found->objects) {
    if (is_table_name(std::string_view(object.key).substr(folder_->key.size()))) {
      keys.push_back(object.key);
    }
  }
  const bool is_ours = keys.size() == found->objects.size() && found->prefixes.empty();
  Status status;
  for (const Status& removed : storage::remove_many_now(store, std::move(keys))) {
    status.Update(removed);
  }
  if (const std::optional<std::string> folder = store.local_file(folder_->key)) {
    remove_half_written(*folder);
  }
  if (is_ours && store.features().has_directories) {
    const Status removed = storage::remove_now(store, folder_->key);
    status.Update(removed.code() == StatusCode::kNotFound ? ok_status() : removed);
  }
  if (!status.ok()) {
    log_warning("{}; it is no longer needed", message(status));
  }
}

}  // namespace forebay::dataset
