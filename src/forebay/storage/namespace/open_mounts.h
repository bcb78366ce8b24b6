// The mounts of a database with their stores, opened when they are first asked for and kept while their
// entries stay the same.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/namespace/mount_database.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/scheme.h"

namespace forebay::storage {

/// How a mount's store is used. A store that cannot keep the limits itself gets `limit` put before it.
struct MountUse {
  StoreUse store;
  StoreWrapper limit;
};
MountUse use_of(const MountEntry& entry, const StoreSchemes& schemes);

/// A part of the namespace and the store that it lies in. Keys of the namespace that begin with `root` are
/// the store's keys that begin with `upstream`.
struct OpenMount {
  MountEntry entry;  // its path is empty for the local file system, which lies under all mounts
  std::shared_ptr<ObjectStore> store;
  std::string root;      // "data/train/"; empty for one that is mounted on "/"
  std::string upstream;  // "bucket/train/"

  /// The store's key of a key of the namespace that lies in this mount.
  std::string upstream_key(std::string_view key) const;
  /// The key of the namespace, of a key that the store has named.
  std::string namespace_key(std::string_view upstream_key) const;
};
using OpenMountRef = std::shared_ptr<const OpenMount>;

/// Thread safe.
class OpenMounts {
 public:
  /// `schemes` has the stores that are mounted, and must outlive the mounts; `local` holds what no mount
  /// covers, under its absolute path.
  OpenMounts(std::unique_ptr<MountDatabase> database, const StoreSchemes& schemes,
             std::shared_ptr<ObjectStore> local);

  /// The mounts as they are now: one look at the file.
  Result<MountTableRef> table() { return database_->table(); }

  /// The mount that the key lies in; the local file system if it lies in none. Errors name the mount.
  Result<OpenMountRef> covering(const MountTable& table, std::string_view key);
  Result<OpenMountRef> open(const MountEntry& entry);
  /// Whoever asks from now on gets stores that are opened again. Those that are in use stay.
  void forget();

 private:
  Result<OpenMountRef> make(const MountEntry& entry) const;
  Result<ObjectAddress> open_store(const MountEntry& entry) const;

  const std::unique_ptr<MountDatabase> database_;
  const StoreSchemes& schemes_;
  const OpenMountRef local_;
  Mutex mutex_;
  std::map<std::string, OpenMountRef, std::less<>> open_mounts_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::storage
