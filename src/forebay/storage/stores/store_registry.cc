#include "forebay/storage/stores/store_registry.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "fmt/ranges.h"
#include "forebay/storage/az/az_stores.h"
#include "forebay/storage/gs/gs_stores.h"
#include "forebay/storage/http/http_stores.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/namespace/namespace_store.h"
#include "forebay/storage/remote/environment.h"
#include "forebay/storage/remote/open_stores.h"
#include "forebay/storage/remote/rate_options.h"
#include "forebay/storage/remote/remote_scheme.h"
#include "forebay/storage/remote/throttled_store.h"
#include "forebay/storage/s3/s3_stores.h"
#include "forebay/storage/webhdfs/webhdfs_stores.h"

namespace forebay::storage {
namespace {

/// What a mount says of local files.
struct LocalOptions {
  bool is_cached = false;
  bool is_synced = true;
  RateLimits limits = {};
};

OptionTable<LocalOptions> local_options() {
  OptionTable<LocalOptions> table = {
      switch_option(
          {.name = "cache", .help = "files of a slow disk or a network are kept by the host's cache"},
          &LocalOptions::is_cached),
      switch_option({.name = "sync",
                     .help = "a write is done when it would survive the loss of power",
                     .by_default = "true"},
                    &LocalOptions::is_synced),
      {{.name = std::string(kLimitsSharedAs),
        .help = "what gives the same word shares its limits",
        .by_default = "the mount's own"},
       [](LocalOptions& options, const std::string& value) {
         options.limits.shared_as = value;
         return ok_status();
       }}};
  return with_rate_options(std::move(table));
}

/// The limited store of these options, of which a process has one.
Result<std::shared_ptr<ObjectStore>> limited(std::shared_ptr<ObjectStore> store, RateLimits limits,
                                             const StoreOptions& options) {
  const std::string identity = store_identity("file://", settings_identity(options));
  return find_or_open_store(identity, [&]() -> Result<std::shared_ptr<ObjectStore>> {
    limits.shared_as = limits.shared_as.empty() ? identity : limits.shared_as;
    return std::make_shared<ThrottledStore>(std::move(store), limiter_of_host(limits));
  });
}

/// Files that are cached have stores of their own, which decorators tell from the others'.
StoreRegistry::Factory local_factory() {
  const auto make = [](bool is_synced) -> std::shared_ptr<ObjectStore> {
    return std::make_shared<LocalStore>(LocalStoreOptions{.sync_writes = is_synced});
  };
  return [table = local_options(), plain = make(false), cached = make(true), cached_plain = make(false)](
             const Uri& uri, const StoreUse& use) -> Result<ObjectAddress> {
    FOREBAY_ASSIGN_OR_RETURN(const LocalOptions local, parse_options("file", table, use.options));
    const std::shared_ptr<ObjectStore> synced = local.is_cached ? cached : LocalStore::process_store();
    const std::shared_ptr<ObjectStore> fast = local.is_cached ? cached_plain : plain;
    std::shared_ptr<ObjectStore> store = local.is_synced ? synced : fast;
    if (local.limits.any()) {
      FOREBAY_ASSIGN_OR_RETURN(store, limited(std::move(store), local.limits, use.options));
    }
    return ObjectAddress{std::move(store), uri.path};
  };
}

StoreRegistry::Factory memory_factory() {
  return [store = std::make_shared<MemoryStore>()](const Uri& uri, const StoreUse&) -> Result<ObjectAddress> {
    return ObjectAddress{store, uri.authority + uri.path};
  };
}

bool names_a_file(std::string_view variable) {
  return variable.ends_with("_FILE") || variable == "GOOGLE_APPLICATION_CREDENTIALS" || variable == "HOME";
}

/// Of what a process names from where it is.
std::string absolute_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  return error ? path : whole.string();
}

std::shared_ptr<const StoreRegistry::Scheme> shared(StoreRegistry::Scheme scheme) {
  return std::make_shared<const StoreRegistry::Scheme>(std::move(scheme));
}

template <class Options>
std::shared_ptr<const StoreRegistry::Scheme> remote(RemoteScheme<Options> scheme) {
  std::vector<StoreOptionSpec> specs = specs_of(scheme.options);
  std::vector<std::string> variables = variables_of(scheme);
  return shared({remote_factory(std::move(scheme)), std::move(specs), std::move(variables)});
}

}  // namespace

StoreRegistry::StoreRegistry() {
  schemes_ = {{"file", shared({local_factory(), specs_of(local_options()), {}})},
              {"mem", shared({memory_factory(), {}, {}})},
              {"http", remote(http_scheme())},
              {"https", remote(http_scheme())},
              {"abfs", remote(az_scheme())},
              {"az", remote(az_scheme())},
              {"gs", remote(gs_scheme())},
              {"s3", remote(s3_scheme())},
              {"webhdfs", remote(webhdfs_scheme())},
              {"swebhdfs", remote(webhdfs_scheme())}};
}

Status StoreRegistry::register_scheme(std::string scheme, Factory factory,
                                      std::vector<StoreOptionSpec> options) {
  const MutexLock lock(mutex_);
  if (!schemes_.emplace(scheme, shared({std::move(factory), std::move(options), {}})).second) {
    return already_exists("the scheme '{}' already has a store", scheme);
  }
  return ok_status();
}

void StoreRegistry::mount(std::string prefix, std::shared_ptr<ObjectStore> store, std::string key_prefix) {
  std::optional<Mount> replaced;  // dropped after the lock: its store may wait for who resolves a name
  const MutexLock lock(mutex_);
  replaced = take_mount(prefix);
  const auto place = std::find_if(mounts_.begin(), mounts_.end(),
                                  [&](const Mount& known) { return known.prefix.size() < prefix.size(); });
  mounts_.insert(place, {std::move(prefix), std::move(store), std::move(key_prefix)});
}

Status StoreRegistry::unmount(const std::string& prefix) {
  std::optional<Mount> removed;  // dropped after the lock
  const MutexLock lock(mutex_);
  removed = take_mount(prefix);
  return removed ? ok_status() : not_found("nothing is mounted at '{}'", prefix);
}

std::optional<StoreRegistry::Mount> StoreRegistry::take_mount(const std::string& prefix) {
  const auto found = std::find_if(mounts_.begin(), mounts_.end(),
                                  [&](const Mount& known) { return known.prefix == prefix; });
  if (found == mounts_.end()) {
    return std::nullopt;
  }
  std::optional<Mount> taken = std::move(*found);
  mounts_.erase(found);
  return taken;
}

void StoreRegistry::use_namespace(std::shared_ptr<NamespaceStore> names) {
  const MutexLock lock(mutex_);
  names_.swap(names);  // what it was is dropped after the lock
}

std::shared_ptr<NamespaceStore> StoreRegistry::names() const {
  const MutexLock lock(mutex_);
  return names_;
}

std::optional<ObjectAddress> StoreRegistry::find_mount(const Uri& uri) const {
  const std::string text = uri.to_string();
  const MutexLock lock(mutex_);
  for (const Mount& mount : mounts_) {
    if (text.starts_with(mount.prefix)) {
      return ObjectAddress{mount.store, mount.key_prefix + text.substr(mount.prefix.size())};
    }
  }
  return std::nullopt;
}

Result<ObjectAddress> StoreRegistry::resolve(std::string_view path_or_uri) const {
  FOREBAY_ASSIGN_OR_RETURN(const Uri uri, parse_uri(path_or_uri));
  const bool is_local = uri.scheme == "file" && !uri.is_plain_path;
  std::optional<ObjectAddress> mounted = is_local ? std::nullopt : find_mount(uri);
  if (mounted) {
    return *std::move(mounted);
  }
  const std::shared_ptr<NamespaceStore> names = this->names();
  if (names && uri.scheme == "forebay") {
    return names->resolve_key(uri.authority + uri.path);
  }
  if (names && uri.is_plain_path) {
    FOREBAY_ASSIGN_OR_RETURN(mounted, names->resolve_path(uri.path));
  }
  return mounted ? *std::move(mounted) : open(uri, {});
}

Status StoreRegistry::check_no_mount(std::string_view path_or_uri, std::string_view what) const {
  FOREBAY_ASSIGN_OR_RETURN(const Uri uri, parse_uri(path_or_uri));
  const std::shared_ptr<NamespaceStore> names = this->names();
  if (names && uri.scheme == "forebay") {
    return names->check_no_mount_at_key(uri.authority + uri.path, what);
  }
  return names && uri.is_plain_path ? names->check_no_mount_at_path(uri.path, what) : ok_status();
}

Result<ObjectAddress> StoreRegistry::open(const Uri& uri, const StoreUse& use, const Wrapper& wrap) const {
  const Result<std::shared_ptr<const Scheme>> scheme = find_scheme(uri.scheme);
  if (!scheme.ok()) {
    return annotate(scheme.status(), "'" + uri_for_message(uri.to_string()) + "'");
  }
  for (const auto& [name, value] : use.options) {
    FOREBAY_RETURN_IF_ERROR(check_option_name(uri.scheme, name, (*scheme)->options));
  }
  FOREBAY_ASSIGN_OR_RETURN(ObjectAddress address, (*scheme)->factory(uri, use));
  if (wrap) {
    address.store = wrap(std::move(address.store));
  }
  address.store = decorated(uri.scheme, use, std::move(address.store));
  return address;
}

void StoreRegistry::decorate(Decorator decorator) {
  decltype(decorated_) dropped(kMaxDecorated);  // after the lock
  {
    const MutexLock lock(mutex_);
    decorator_ = std::move(decorator);
    ++decoration_;
    dropped.swap(decorated_);
  }
  if (const std::shared_ptr<NamespaceStore> names = this->names()) {
    names->open_mounts_anew();
  }
}

std::shared_ptr<ObjectStore> StoreRegistry::decorated(const std::string& scheme, const StoreUse& use,
                                                      std::shared_ptr<ObjectStore> store) const {
  Decorator decorator;
  uint64_t decoration = 0;
  const UsedStore used(store, use.is_immutable, use.write_back_mount, use.write_back_bytes);
  {
    const MutexLock lock(mutex_);
    if (const std::shared_ptr<ObjectStore>* const known = decorated_.find(used)) {
      return *known ? *known : store;
    }
    decorator = decorator_;
    decoration = decoration_;
  }
  if (!decorator) {
    return store;
  }
  std::shared_ptr<ObjectStore> made = decorator(scheme, use, store);
  decltype(decorated_)::Surplus surplus;  // dropped after the lock
  const MutexLock lock(mutex_);
  if (decoration != decoration_) {
    return made;
  }
  std::shared_ptr<ObjectStore>& kept = decorated_.find_or_add(used);
  if (!kept && made != store) {
    kept.swap(made);  // else it is dropped after the lock, too
  }
  std::shared_ptr<ObjectStore> front = kept ? kept : std::move(store);
  surplus = decorated_.take_surplus();
  return front;
}

Result<std::shared_ptr<const StoreRegistry::Scheme>> StoreRegistry::find_scheme(
    std::string_view scheme) const {
  {
    const MutexLock lock(mutex_);
    const auto found = schemes_.find(scheme);
    if (found != schemes_.end()) {
      return found->second;
    }
  }
  return invalid_argument("no store for the scheme '{}'; known schemes: {}", scheme,
                          fmt::join(schemes(), ", "));
}

std::vector<std::string> StoreRegistry::schemes() const {
  const MutexLock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, scheme] : schemes_) {
    names.push_back(name);
  }
  return names;
}

Result<std::vector<StoreOptionSpec>> StoreRegistry::options_of(std::string_view scheme) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<const Scheme> found, find_scheme(scheme));
  return found->options;
}

StoreVariables StoreRegistry::variables_of(std::string_view scheme) const {
  const Result<std::shared_ptr<const Scheme>> found = find_scheme(scheme);
  if (!found.ok()) {
    return {};
  }
  StoreVariables variables = variables_in(process_environment, (*found)->variables);
  for (auto& [name, value] : variables) {
    if (names_a_file(name)) {
      value = absolute_path(value);
    }
  }
  return variables;
}

StoreRegistry& default_registry() {
  // Never destroyed, because threads use it at exit.
  static StoreRegistry* const registry = [] {
    auto* const made = new StoreRegistry();
    made->use_namespace(process_namespace(*made));
    return made;
  }();
  return *registry;
}

}  // namespace forebay::storage
