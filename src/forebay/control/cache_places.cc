#include "forebay/control/cache_places.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "forebay/cache/rules/rule_table.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/namespace/open_mounts.h"
#include "forebay/storage/tree/entry.h"
#include "forebay/storage/uri.h"

namespace forebay::control {
namespace {

/// The scheme of a store's URI; local files are named by their paths.
std::string_view scheme_of(std::string_view uri) {
  const size_t end = uri.find("://");
  return end == std::string_view::npos ? "file" : uri.substr(0, end);
}

/// `options` are those of the mount that it lies in.
CachePlace place_at(storage::ObjectAddress address, const storage::StoreOptions& options) {
  CachePlace place = {.uri = address.uri(), .address = std::move(address)};
  place.is_cached = storage::is_cached(scheme_of(place.uri), options);
  return place;
}

/// A key of the namespace, in the store of the mount that it lies in.
Result<CachePlace> place_in_mount(storage::OpenMounts& mounts, const storage::MountTable& table,
                                  std::string_view key) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::OpenMountRef mount, mounts.covering(table, key));
  CachePlace place = place_at({mount->store, mount->upstream_key(key)}, mount->entry.options);
  place.is_mount = mount->entry.path == "/" + std::string(key);
  return place;
}

}  // namespace

const storage::StoreRegistry& naming_registry() {
  // Never destroyed, because threads use it at exit.
  static const storage::StoreRegistry* const registry = new storage::StoreRegistry();
  return *registry;
}

Result<CachePlaces> cache_places(const std::string& name, const storage::StoreRegistry& registry) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::Uri uri, storage::parse_uri(name));
  if (!uri.is_plain_path && uri.scheme != "forebay") {
    FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress address, registry.resolve(name));
    return CachePlaces{place_at(std::move(address), {})};
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string path, storage::namespace_path(name));
  storage::OpenMounts mounts(std::make_unique<storage::MountDatabase>(storage::process_mounts()), registry,
                             storage::LocalStore::process_store());
  FOREBAY_ASSIGN_OR_RETURN(const storage::MountTableRef table, mounts.table());
  const std::string key = path.substr(1);
  CachePlaces places;
  FOREBAY_ASSIGN_OR_RETURN(places.emplace_back(), place_in_mount(mounts, *table, key));
  for (const storage::MountEntry* const mount : table->below(storage::as_folder_key(key))) {
    FOREBAY_ASSIGN_OR_RETURN(places.emplace_back(), place_in_mount(mounts, *table, mount->path.substr(1)));
  }
  return places;
}

Result<CachePlaces> cached_places(const std::string& name) {
  FOREBAY_ASSIGN_OR_RETURN(CachePlaces places, cache_places(name));
  return only_cached(std::move(places), name);
}

Result<CachePlaces> only_cached(CachePlaces places, const std::string& name) {
  std::erase_if(places, [](const CachePlace& place) { return !place.is_cached; });
  if (places.empty()) {
    return invalid_argument(
        "{}: the host's cache holds remote data, as of s3:// or https://, and folders that were mounted by "
        "`forebay mount PATH FOLDER --option cache=on`",
        storage::uri_for_message(name));
  }
  return places;
}

CachePlaces without_overlaps(CachePlaces places) {
  CachePlaces apart;
  for (CachePlace& place : places) {
    const auto lies_in = [&](const CachePlace& other) { return cache::lies_below(place.uri, other.uri); };
    if (std::ranges::none_of(apart, lies_in)) {
      std::erase_if(apart, [&](const CachePlace& other) { return cache::lies_below(other.uri, place.uri); });
      apart.push_back(std::move(place));
    }
  }
  return apart;
}

}  // namespace forebay::control
