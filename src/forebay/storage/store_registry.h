// Maps a path or URI to the store that holds it. Other drivers join by registering their scheme.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {

/// Thread safe.
class StoreRegistry {
 public:
  /// Makes the address of `uri`, whose scheme is the factory's. Called without a lock; the factory keeps its
  /// own stores.
  using Factory = std::function<Result<ObjectAddress>(const Uri& uri)>;

  /// Knows the schemes "file", "http", "https" and "mem".
  StoreRegistry();

  /// already_exists if the scheme is registered.
  Status register_scheme(std::string scheme, Factory factory);

  /// Mounts `store`: a path or URI that begins with `prefix` ("s3://bucket/", "mem://", "/data/") resolves to
  /// `store`, with the key `key_prefix` plus the rest. The longest prefix wins; mounts win over schemes.
  void mount(std::string prefix, std::shared_ptr<ObjectStore> store, std::string key_prefix = {});
  Status unmount(const std::string& prefix);

  /// invalid_argument for text that is not a URI, and for an unknown scheme; the error lists the known ones.
  Result<ObjectAddress> resolve(std::string_view path_or_uri) const;

  std::vector<std::string> schemes() const;

 private:
  struct Mount {
    std::string prefix;
    std::shared_ptr<ObjectStore> store;
    std::string key_prefix;
  };

  mutable Mutex mutex_;
  std::map<std::string, Factory, std::less<>> factories_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<Mount> mounts_ FOREBAY_GUARDED_BY(mutex_);  // longest prefix first
};

/// The process's registry.
StoreRegistry& default_registry();

}  // namespace forebay::storage
