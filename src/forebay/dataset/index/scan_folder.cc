#include "forebay/dataset/index/scan_folder.h"

#include <utility>
#include <vector>

#include "fmt/format.h"
#include "forebay/base/log.h"
#include "forebay/base/random/random.h"
#include "forebay/storage/blocking.h"

namespace forebay::dataset {

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
      storage::list_all_now(store, {.prefix = folder_->key, .names_only = true});
  if (!found.ok()) {
    return;
  }
  std::vector<std::string> keys;
  for (const storage::ObjectStat& table : found->objects) {
    if (!table.key.ends_with('/')) {
      keys.push_back(table.key);
    }
  }
  Status status;
  for (const Status& removed : storage::remove_many_now(store, std::move(keys))) {
    status.Update(removed);
  }
  if (store.features().has_directories) {
    const Status removed = storage::remove_now(store, folder_->key);
    status.Update(removed.code() == StatusCode::kNotFound ? ok_status() : removed);
  }
  if (!status.ok()) {
    log_warning("{}; it is no longer needed", message(status));
  }
}

}  // namespace forebay::dataset
