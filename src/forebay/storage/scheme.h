// A scheme of URIs: the options that its stores take, and how they are opened. What a driver gives the
// registry (stores/store_registry.h), and all that others know of the registry.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/storage/object_store.h"
#include "forebay/storage/store_option.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {

/// How a store is used: what its mount says of it.
struct StoreUse {
  StoreOptions options;  // of the driver
  /// The environment of whoever uses the store, as StoreRegistry::variables_of() has it; nothing: that of
  /// this process.
  std::optional<StoreVariables> variables;
  /// settings_identity() of the two (remote/open_stores.h), from whoever opens many objects with them.
  std::string identity;
  bool is_immutable = false;  // its objects never change: caches need not look again
  /// The path of the mount, if what is written may be acknowledged before it is stored, and how many bytes
  /// may wait then.
  std::string write_back_mount;
  uint64_t write_back_bytes = 0;
};

/// Whether a cache in front of stores of this scheme is worth while: all but memory, and local files that are
/// not said to lie on something slow (their option cache=on).
bool is_cached(std::string_view scheme, const StoreOptions& options);

/// Makes the address of `uri`, whose scheme is the factory's. Options are empty for a plain URI, else those
/// of the mount, whose names were checked; the factory checks their values. Called without a lock; the
/// factory keeps its own stores, and calls with equal options and variables may share one.
using StoreFactory = std::function<Result<ObjectAddress>(const Uri& uri, const StoreUse& use)>;

struct StoreScheme {
  StoreFactory factory;
  std::vector<StoreOptionSpec> options;
  std::vector<std::string> variables;  // of the environment that the factory looks at
};

/// Puts something before a store, as a mount does its limits; or returns it as it is.
using StoreWrapper = std::function<std::shared_ptr<ObjectStore>(std::shared_ptr<ObjectStore> store)>;

/// The schemes that are known, whoever registers them. Thread safe.
class StoreSchemes {
 public:
  /// The address of `uri` by its scheme alone, with options; no mount is looked at. `wrap` may be empty; a
  /// decorator sees what it returns, so a limit is for what a cache has to fetch. invalid_argument for an
  /// unknown scheme or option; the error lists the known ones.
  virtual Result<ObjectAddress> open(const Uri& uri, const StoreUse& use, const StoreWrapper& wrap) const = 0;

  /// The options that stores of this scheme take; invalid_argument for an unknown scheme.
  virtual Result<std::vector<StoreOptionSpec>> options_of(std::string_view scheme) const = 0;

 protected:
  ~StoreSchemes() = default;
};

}  // namespace forebay::storage
