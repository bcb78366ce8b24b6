// What a path or URI names, as the host's cache knows it: by URIs of stores.
#pragma once

#include <string>
#include <vector>

#include "forebay/storage/stores/store_registry.h"

namespace forebay::control {

/// The stores of this process, none of which is read through the host's cache: to name what lies where
/// without starting a daemon.
const storage::StoreRegistry& naming_registry();

/// A part of what a name stands for.
struct CachePlace {
  std::string uri;                 // empty: all that the cache holds
  storage::ObjectAddress address;  // in the store itself, whatever is mounted below it
  bool is_cached = false;          // as it is mounted now
  bool is_mount = false;           // a mount's own path, which is there also while its store is empty
};
using CachePlaces = std::vector<CachePlace>;

/// What `name` names: the place itself, and the mounts below it. The stores are those of `registry`.
Result<CachePlaces> cache_places(const std::string& name,
                                 const storage::StoreRegistry& registry = naming_registry());

/// Those of them that are cached; invalid_argument if none is.
Result<CachePlaces> cached_places(const std::string& name);

/// Without those that are not cached; invalid_argument, which names `name`, if none is left.
Result<CachePlaces> only_cached(CachePlaces places, const std::string& name);

/// Without those that lie at or below another one by their URIs: each object is in one of them.
CachePlaces without_overlaps(CachePlaces places);

}  // namespace forebay::control
