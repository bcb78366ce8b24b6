#include "forebay/dataset/index/stale_index.h"

#include <algorithm>
#include <utility>

#include "forebay/base/log.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

// The header, which has the checksums of all parts.
constexpr size_t kComparedBytes = 96;

/// The index file, and what is wrong with it.
struct Retired {
  storage::ObjectAddress file;
  std::shared_ptr<const SampleIndex> index;
  std::string object;
};

void remove_index(Retired retired) {
  storage::ObjectStore& store = *retired.file.store;
  std::string key = retired.file.key;
  store.remove(std::move(key), {}, [retired = std::move(retired)](const Status& removed) {
    const std::string file = storage::uri_for_message(retired.file.uri());
    if (removed.ok()) {
      log_warning(
          "{}: {} has changed since this index was made; it is removed, and made anew when the data set "
          "is opened again",
          file, retired.object);
    } else if (removed.code() != StatusCode::kNotFound) {
      log_warning(
          "{}: {} has changed since this index was made, and it cannot be removed ({}); remove it to have "
          "it made anew",
          file, retired.object, message(removed));
    }
  });
}

}  // namespace

void StaleIndex::retire(const std::shared_ptr<const SampleIndex>& index, std::string_view object) {
  if (file_.empty() || index == nullptr || is_retired_.exchange(true, std::memory_order_relaxed)) {
    return;
  }
  Result<storage::ObjectAddress> file = registry_->resolve(file_);
  if (!file.ok()) {
    return;  // it was opened from there: its mount has gone, and with it whoever could open it again
  }
  const Bytes made = index->image().first(std::min(index->image().size(), kComparedBytes));
  Retired retired{.file = *std::move(file), .index = index, .object = std::string(object)};
  storage::ObjectStore& store = *retired.file.store;
  storage::ReadRequest request{.key = retired.file.key, .length_bytes = made.size()};
  store.read(std::move(request), {},
             [made, retired = std::move(retired)](const Result<storage::ReadBytes>& found) mutable {
               if (found.ok() && std::ranges::equal(found->bytes, made)) {
                 remove_index(std::move(retired));
               }
             });
}

}  // namespace forebay::dataset
