#include "forebay/storage/namespace/open_mounts.h"

#include <utility>

#include "forebay/storage/listing/snapshot_refresh.h"
#include "forebay/storage/listing/snapshot_store.h"
#include "forebay/storage/namespace/mount_guard.h"
#include "forebay/storage/namespace/path_names.h"
#include "forebay/storage/remote/open_stores.h"
#include "forebay/storage/remote/rate_options.h"
#include "forebay/storage/remote/throttled_store.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

std::string with_slash(std::string text) {
  if (!text.empty() && !text.ends_with('/')) {
    text += '/';
  }
  return text;
}

/// The name of a folder without the slash at its end.
std::string_view without_end(std::string_view folder) {
  return folder.substr(0, folder.size() - (folder.ends_with('/') ? 1 : 0));
}

StoreWrapper limiting(const RateLimits& limits) {
  return [limits](std::shared_ptr<ObjectStore> store) -> std::shared_ptr<ObjectStore> {
    return std::make_shared<ThrottledStore>(std::move(store), limiter_of_host(limits));
  };
}

/// Before the caches: what the snapshot knows is asked of nobody.
Result<std::shared_ptr<ObjectStore>> with_snapshot(std::shared_ptr<ObjectStore> store,
                                                   const std::string& prefix, const MountEntry& entry) {
  Result<std::shared_ptr<const NameView>> view = NameView::open(entry.snapshot);
  if (!view.ok()) {
    return annotate(view.status(), fmt::format("the snapshot of the mount {}", entry.path));
  }
  const std::string source = snapshot_source(*store, prefix);
  if ((*view)->facts().source != source) {
    return failed_precondition("the mount {}: {} is a snapshot of {}, not of {}", entry.path, entry.snapshot,
                               (*view)->facts().source, source);
  }
  return std::make_shared<SnapshotStore>(std::move(store), prefix, *std::move(view));
}

OpenMountRef mount_of_files(std::shared_ptr<ObjectStore> local) {
  auto mount = std::make_shared<OpenMount>();
  mount->store = std::move(local);
  mount->upstream = "/";
  return mount;
}

}  // namespace

std::string OpenMount::upstream_key(std::string_view key) const {
  if (key.size() < root.size()) {
    return std::string(without_end(upstream));  // the mount's own path
  }
  return upstream + std::string(key.substr(root.size()));
}

std::string OpenMount::namespace_key(std::string_view upstream_key) const {
  if (upstream_key.size() < upstream.size()) {
    return std::string(without_end(root));
  }
  return root + std::string(upstream_key.substr(upstream.size()));
}

OpenMounts::OpenMounts(std::unique_ptr<MountDatabase> database, const StoreSchemes& schemes,
                       std::shared_ptr<ObjectStore> local)
    : database_(std::move(database)), schemes_(schemes), local_(mount_of_files(std::move(local))) {
}

Result<OpenMountRef> OpenMounts::covering(const MountTable& table, std::string_view key) {
  const MountEntry* const entry = table.covering(key);
  return entry == nullptr ? local_ : open(*entry);
}

// Opened without the lock, for a store may read files to find its credentials. Of two threads that open the
// same mount, the first one's store is kept: users compare stores.
Result<OpenMountRef> OpenMounts::open(const MountEntry& entry) {
  {
    const MutexLock lock(mutex_);
    const auto found = open_mounts_.find(entry.path);
    if (found != open_mounts_.end() && found->second->entry == entry) {
      return found->second;
    }
  }
  FOREBAY_ASSIGN_OR_RETURN(OpenMountRef made, make(entry));
  const MutexLock lock(mutex_);
  OpenMountRef& kept = open_mounts_[entry.path];
  if (!kept || !(kept->entry == entry)) {
    kept.swap(made);  // what it was is dropped after the lock
  }
  return kept;
}

void OpenMounts::forget() {
  decltype(open_mounts_) dropped;  // after the lock
  const MutexLock lock(mutex_);
  dropped.swap(open_mounts_);
}

// Drivers of remote stores keep limits themselves, for each request that they really send; and the host's
// daemon opens the same store for all its processes, with the same options. Other stores get a limit put
// before them.
MountUse use_of(const MountEntry& entry, const StoreSchemes& schemes) {
  const RateLimits limits = {
      .requests_per_second = static_cast<double>(entry.requests_per_s),
      .bytes_per_second = static_cast<double>(entry.bytes_per_s),
      .shared_as = store_identity(entry.path + " " + entry.uri, settings_identity(entry.options))};
  MountUse use = {.store = {.options = entry.options, .is_immutable = entry.immutable}, .limit = {}};
  if (entry.write_back_bytes > 0) {
    use.store.write_back_mount = entry.path;
    use.store.write_back_bytes = entry.write_back_bytes;
  }
  const Result<Uri> uri = parse_uri(entry.uri);
  const Result<std::vector<StoreOptionSpec>> known = schemes.options_of(uri.ok() ? uri->scheme : "");
  if (known.ok() && takes_rate_limits(*known)) {
    add_rate_limits(limits, &use.store.options);
    if (limits.any() && takes_option(*known, kLimitsSharedAs)) {
      use.store.options.try_emplace(std::string(kLimitsSharedAs), limits.shared_as);
    }
  } else if (limits.any()) {
    use.limit = limiting(limits);
  }
  return use;
}

Result<ObjectAddress> OpenMounts::open_store(const MountEntry& entry) const {
  FOREBAY_ASSIGN_OR_RETURN(const Uri uri, parse_uri(entry.uri));
  const MountUse use = use_of(entry, schemes_);
  return schemes_.open(uri, use.store, use.limit);
}

Result<OpenMountRef> OpenMounts::make(const MountEntry& entry) const {
  Result<ObjectAddress> address = open_store(entry);
  if (!address.ok()) {
    return annotate(address.status(),
                    fmt::format("the mount {} of {}", entry.path, uri_for_message(entry.uri)));
  }
  auto mount = std::make_shared<OpenMount>();
  mount->entry = entry;
  mount->root = with_slash(entry.path.substr(1));
  mount->upstream = with_slash(std::move(address->key));
  mount->store = std::move(address->store);
  if (!entry.snapshot.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(mount->store, with_snapshot(std::move(mount->store), mount->upstream, entry));
  }
  if (!mount->store->local_file("name")) {  // a file's name is always a path
    mount->store = std::make_shared<PathNames>(std::move(mount->store), mount->upstream, entry.path);
  }
  if (entry.read_only || entry.immutable) {
    mount->store = std::make_shared<MountGuard>(std::move(mount->store), entry);
  }
  return mount;
}

}  // namespace forebay::storage
