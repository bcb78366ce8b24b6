// Maps a path or URI to the store that holds it. Other drivers join by registering their scheme.
//
// Plain paths are looked for in the mount table first, then in the local file system. "file://" is always
// local, "forebay://" always the namespace: the mount table over the local file system.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/base/recently_used.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/scheme.h"
#include "forebay/storage/store_option.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {

class NamespaceStore;

/// Thread safe.
class StoreRegistry final : public StoreSchemes {
 public:
  using Factory = StoreFactory;
  using Scheme = StoreScheme;
  using Wrapper = StoreWrapper;

  /// Makes a store in front of the one of a scheme and use, such as a cache, or returns `store` itself.
  /// Called once for each store, twice if some mounts of it are immutable, and for each that is written back;
  /// without a lock, so that several threads may call it for the same store at first, of which the first
  /// one's is kept.
  using Decorator = std::function<std::shared_ptr<ObjectStore>(const std::string& scheme, const StoreUse& use,
                                                               std::shared_ptr<ObjectStore> store)>;

  /// Knows the schemes of the drivers in this layer.
  StoreRegistry();

  /// `options` are those that the factory takes. already_exists if the scheme is registered.
  Status register_scheme(std::string scheme, Factory factory, std::vector<StoreOptionSpec> options = {});

  /// From now on plain paths and "forebay://" are resolved by `names`. Without it, "forebay" is an unknown
  /// scheme.
  void use_namespace(std::shared_ptr<NamespaceStore> names);

  /// From now on the stores of schemes, also those that open() finds, are what `decorator` makes of them;
  /// empty: they are themselves. Stores that are resolved already, and those of mount(), stay as they are.
  void decorate(Decorator decorator);

  /// For this process alone. Mounts `store`: a path or URI that begins with `prefix` ("s3://bucket/",
  /// "mem://", "/data/") resolves to `store`, with the key `key_prefix` plus the rest. The longest prefix
  /// wins. These mounts win over the namespace and over schemes.
  void mount(std::string prefix, std::shared_ptr<ObjectStore> store, std::string key_prefix = {});
  Status unmount(const std::string& prefix);

  /// invalid_argument for text that is not a URI, and for an unknown scheme; the error lists the known ones.
  Result<ObjectAddress> resolve(std::string_view path_or_uri) const;

  /// failed_precondition if what is named is a mount of the namespace or has mounts below it. To be asked
  /// before a whole folder is removed or renamed; `what` is for the message: "removed".
  Status check_no_mount(std::string_view path_or_uri, std::string_view what) const;

  /// Whether what is named is a mount of the namespace or has mounts below it. Then it is a folder, also
  /// where the store that is mounted holds nothing yet.
  bool is_above_mounts(std::string_view path_or_uri) const {
    return check_no_mount(path_or_uri, {}).code() == StatusCode::kFailedPrecondition;
  }

  Result<ObjectAddress> open(const Uri& uri, const StoreUse& use, const Wrapper& wrap = {}) const override;

  std::vector<std::string> schemes() const;
  Result<std::vector<StoreOptionSpec>> options_of(std::string_view scheme) const override;
  /// What this process's environment says to stores of this scheme, credentials included: another process
  /// that opens one with it opens the same. Empty for an unknown scheme.
  StoreVariables variables_of(std::string_view scheme) const;

 private:
  // And whether it is immutable, and how it is written back.
  using UsedStore = std::tuple<std::shared_ptr<ObjectStore>, bool, std::string, uint64_t>;

  static constexpr size_t kMaxDecorated = 256;  // beyond so many, those that nobody uses go

  struct Mount {
    std::string prefix;
    std::shared_ptr<ObjectStore> store;
    std::string key_prefix;
  };

  Result<std::shared_ptr<const Scheme>> find_scheme(std::string_view scheme) const;
  std::optional<ObjectAddress> find_mount(const Uri& uri) const;
  std::optional<Mount> take_mount(const std::string& prefix) FOREBAY_REQUIRES(mutex_);
  std::shared_ptr<NamespaceStore> names() const;
  std::shared_ptr<ObjectStore> decorated(const std::string& scheme, const StoreUse& use,
                                         std::shared_ptr<ObjectStore> store) const;

  mutable Mutex mutex_;
  Decorator decorator_ FOREBAY_GUARDED_BY(mutex_);
  uint64_t decoration_ FOREBAY_GUARDED_BY(mutex_) = 0;  // counts the decorators
  // Null: the decorator has put nothing before the store.
  mutable RecentlyUsed<UsedStore, std::shared_ptr<ObjectStore>, IsUnshared> decorated_
      FOREBAY_GUARDED_BY(mutex_){kMaxDecorated};
  std::map<std::string, std::shared_ptr<const Scheme>, std::less<>> schemes_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<Mount> mounts_ FOREBAY_GUARDED_BY(mutex_);  // longest prefix first
  std::shared_ptr<NamespaceStore> names_ FOREBAY_GUARDED_BY(mutex_);
};

/// The process's registry, with its namespace: see namespace/mount_database.h for where the table is kept.
StoreRegistry& default_registry();

}  // namespace forebay::storage
