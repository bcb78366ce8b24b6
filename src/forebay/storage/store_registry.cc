#include "forebay/storage/store_registry.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fmt/ranges.h"
#include "forebay/storage/http/http_store.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::storage {
namespace {

StoreRegistry::Factory local_factory() {
  return [store = std::shared_ptr<ObjectStore>(LocalStore::process_store())](
             const Uri& uri) -> Result<ObjectAddress> {
    return ObjectAddress{store, uri.path};
  };
}

StoreRegistry::Factory memory_factory() {
  return [store = std::make_shared<MemoryStore>()](const Uri& uri) -> Result<ObjectAddress> {
    return ObjectAddress{store, uri.authority + uri.path};
  };
}

StoreRegistry::Factory http_factory(const std::string& scheme) {
  return
      [store = std::shared_ptr<ObjectStore>(std::make_shared<HttpStore>(HttpStoreOptions{.scheme = scheme}))](
          const Uri& uri) -> Result<ObjectAddress> {
        return ObjectAddress{store, uri.authority + uri.path};
      };
}

}  // namespace

StoreRegistry::StoreRegistry() {
  factories_.emplace("file", local_factory());
  factories_.emplace("http", http_factory("http"));
  factories_.emplace("https", http_factory("https"));
  factories_.emplace("mem", memory_factory());
}

Status StoreRegistry::register_scheme(std::string scheme, Factory factory) {
  const MutexLock lock(mutex_);
  if (!factories_.emplace(scheme, std::move(factory)).second) {
    return already_exists("the scheme '{}' already has a store", scheme);
  }
  return ok_status();
}

void StoreRegistry::mount(std::string prefix, std::shared_ptr<ObjectStore> store, std::string key_prefix) {
  const MutexLock lock(mutex_);
  std::erase_if(mounts_, [&](const Mount& known) { return known.prefix == prefix; });
  const auto place = std::find_if(mounts_.begin(), mounts_.end(),
                                  [&](const Mount& known) { return known.prefix.size() < prefix.size(); });
  mounts_.insert(place, {std::move(prefix), std::move(store), std::move(key_prefix)});
}

Status StoreRegistry::unmount(const std::string& prefix) {
  const MutexLock lock(mutex_);
  if (std::erase_if(mounts_, [&](const Mount& known) { return known.prefix == prefix; }) == 0) {
    return not_found("nothing is mounted at '{}'", prefix);
  }
  return ok_status();
}

Result<ObjectAddress> StoreRegistry::resolve(std::string_view path_or_uri) const {
  FOREBAY_ASSIGN_OR_RETURN(const Uri uri, parse_uri(path_or_uri));
  const std::string text = uri.to_string();
  Factory factory;
  {
    const MutexLock lock(mutex_);
    for (const Mount& mount : mounts_) {
      if (text.starts_with(mount.prefix)) {
        return ObjectAddress{mount.store, mount.key_prefix + text.substr(mount.prefix.size())};
      }
    }
    const auto found = factories_.find(uri.scheme);
    if (found != factories_.end()) {
      factory = found->second;
    }
  }
  if (!factory) {
    return invalid_argument("'{}': no store for the scheme '{}'; known schemes: {}", path_or_uri, uri.scheme,
                            fmt::join(schemes(), ", "));
  }
  return factory(uri);
}

std::vector<std::string> StoreRegistry::schemes() const {
  const MutexLock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, factory] : factories_) {
    names.push_back(name);
  }
  return names;
}

StoreRegistry& default_registry() {
  // Never destroyed, because threads use it at exit.
  static StoreRegistry* const registry = new StoreRegistry();
  return *registry;
}

}  // namespace forebay::storage
