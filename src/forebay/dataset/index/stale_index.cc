#include "forebay/dataset/index/stale_index.h"

#include <algorithm>
#include <utility>

#include "forebay/base/log/log.h"
#include "forebay/storage/local/file_version.h"
#include "forebay/storage/local/local_file.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

// The header, which has the checksums of all parts.
constexpr size_t kComparedBytes = 96;

/// The index file, and what is wrong with it.
struct Retired {
  storage::ObjectAddress file;
  std::shared_ptr<const SampleIndex> index;
  std::string object;  // as messages show it
  std::shared_ptr<std::atomic<bool>> is_retired;

  std::string name() const { return storage::uri_for_message(file.uri()); }
};
using RetiredRef = std::shared_ptr<const Retired>;

/// The object as it was when it was indexed.
struct KnownObject {
  storage::ObjectAddress address;
  uint64_t size_bytes = 0;
  bool was_there = false;
  std::string version;

  /// Only what the store says for certain.
  bool has_changed(const Result<storage::ObjectStat>& found) const {
    if (!found.ok()) {
      return was_there && found.status().code() == StatusCode::kNotFound;
    }
    const bool is_same_version =
        version.empty() || storage::has_same_content(*address.store, address.key, version, found->version);
    return !was_there || found->size_bytes != size_bytes || !is_same_version;
  }
};

void report(const Retired& retired, const Status& removed) {
  if (removed.ok()) {
    log_warning(
        "{}: {} has changed since this index was made; it is removed, and made anew when the data set is "
        "opened "
        "again",
        retired.name(), retired.object);
  } else if (removed.code() != StatusCode::kNotFound) {
    log_warning(
        "{}: {} has changed since this index was made, and it cannot be removed ({}); remove it to have it "
        "made "
        "anew",
        retired.name(), retired.object, message(removed));
  }
}

/// Gives `then` whether the file `key`, beside or in the place of the index file, is the index.
void compare(const RetiredRef& retired, const std::string& key, absl::AnyInvocable<void(bool)> then) {
  const Bytes image = retired->index->image();
  const Bytes made = image.first(std::min(image.size(), kComparedBytes));
  storage::ReadRequest request{.key = key, .length_bytes = made.size()};
  retired->file.store->read(
      std::move(request), {},
      [retired, made, then = std::move(then)](const Result<storage::ReadBytes>& found) mutable {
        then(found.ok() && std::ranges::equal(found->bytes, made));
      });
}

void remove(const RetiredRef& retired, const std::string& key) {
  retired->file.store->remove(key, {}, [retired](const Status& removed) { report(*retired, removed); });
}

/// What was taken away is of somebody who had made it meanwhile. If there is a later one already, that stays.
void put_back(const RetiredRef& retired, const std::string& taken) {
  storage::MoveRequest back{.from = taken, .to = retired->file.key, .if_absent = true};
  retired->file.store->rename(std::move(back), {},
                              [retired, taken](const Result<storage::ObjectStat>& moved) {
                                if (moved.status().code() == StatusCode::kAlreadyExists) {
                                  retired->file.store->remove(taken, {}, [](const Status&) {});
                                } else if (!moved.ok()) {
                                  log_warning("{}: an index that somebody else has made lies in {} ({})",
                                              retired->name(), taken, message(moved.status()));
                                }
                              });
}

/// Takes the file away under another name, so that nobody can replace it between the last look and its
/// removal.
void take_away(const RetiredRef& retired) {
  const Result<std::string> taken = storage::temporary_name(retired->file.key);
  if (!taken.ok()) {
    report(*retired, taken.status());
    return;
  }
  // Nobody else has this name. (Not every file system can demand that there is none: NFS cannot.)
  storage::MoveRequest away{.from = retired->file.key, .to = *taken};
  retired->file.store->rename(std::move(away), {},
                              [retired, taken = *taken](const Result<storage::ObjectStat>& moved) {
                                if (!moved.ok()) {
                                  report(*retired, moved.status());
                                  return;
                                }
                                compare(retired, taken, [retired, taken](bool is_same) {
                                  is_same ? remove(retired, taken) : put_back(retired, taken);
                                });
                              });
}

void remove_if_same(const RetiredRef& retired) {
  compare(retired, retired->file.key, [retired](bool is_same) {
    if (!is_same) {
      return;  // somebody has made it anew, or removed it
    }
    if (retired->file.store->features().can_rename) {
      take_away(retired);
    } else {
      remove(retired, retired->file.key);
    }
  });
}

}  // namespace

void StaleIndex::retire(const std::shared_ptr<const SampleIndex>& index, const storage::ObjectAddress& object,
                        const IndexedObject& indexed) {
  if (file_.empty() || index == nullptr || is_retired_->exchange(true, std::memory_order_relaxed)) {
    return;
  }
  Result<storage::ObjectAddress> file = registry_->resolve(file_);
  if (!file.ok()) {
    return;  // it was opened from there: its mount has gone, and with it whoever could open it again
  }
  const auto retired =
      std::make_shared<const Retired>(Retired{.file = *std::move(file),
                                              .index = index,
                                              .object = storage::uri_for_message(object.uri()),
                                              .is_retired = is_retired_});
  KnownObject known{.address = object,
                    .size_bytes = indexed.size_bytes,
                    .was_there = indexed.was_there(),
                    .version = std::string(indexed.version)};
  storage::ObjectStore& store = *object.store;
  store.stat(object.key, {}, [retired, known = std::move(known)](const Result<storage::ObjectStat>& found) {
    if (known.has_changed(found)) {
      remove_if_same(retired);
    } else {
      retired->is_retired->store(false, std::memory_order_relaxed);
    }
  });
}

}  // namespace forebay::dataset
