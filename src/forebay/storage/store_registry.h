// Which store holds what a path or URI names. A later driver joins by registering its scheme.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/storage/object_store.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {

/// Thread safe.
class StoreRegistry {
 public:
  /// Makes the address of what `uri`, of the factory's scheme, names. Called under no lock; keeps its own
  /// stores.
  using Factory = std::function<Result<ObjectAddress>(const Uri& uri)>;

  /// A registry that knows "file" and "mem".
  StoreRegistry();

  /// already_exists when the scheme has one.
  Status register_scheme(std::string scheme, Factory factory);

  /// Whatever begins with `prefix` ("s3://bucket/", "mem://", "/data/") is found in `store`, under the key
  /// that follows the prefix, behind `key_prefix`. The longest prefix wins; mounts win over schemes.
  void mount(std::string prefix, std::shared_ptr<ObjectStore> store, std::string key_prefix = {});
  Status unmount(const std::string& prefix);

  /// invalid_argument for a text that is no URI, and for an unknown scheme, naming the known ones.
  Result<ObjectAddress> resolve(std::string_view path_or_uri) const;

  std::vector<std::string> schemes() const;

 private:
  struct Mount {
    std::string prefix;
    std::shared_ptr<ObjectStore> store;
    std::string key_prefix;
  };

  mutable std::mutex mutex_;
  std::map<std::string, Factory, std::less<>> factories_;
  std::vector<Mount> mounts_;  // longest prefix first
};

/// The process's registry.
StoreRegistry& default_registry();

}  // namespace forebay::storage
