// One line of the mount table: what lies under a path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/storage/scheme.h"

namespace forebay::storage {

struct MountEntry {
  std::string path;      // "/data/train": absolute and normalised; any bytes but NUL
  std::string uri;       // "s3://bucket/train"
  StoreOptions options;  // of the URI's store; may hold secrets
  bool read_only = false;
  /// The user's promise that objects never change: caches need not look again. So objects can be added, but
  /// not replaced, renamed or removed.
  bool immutable = false;
  /// A file with the names below the URI (listing/name_snapshot.h), which then answer all stats and listings;
  /// empty: the store does. Only of a mount that is read-only.
  std::string snapshot;
  /// To the store, of all that one process does, and of all that the host's daemon does for others. Mounts of
  /// one store with equal options share the limit. 0: none.
  uint64_t bytes_per_s = 0;
  uint64_t requests_per_s = 0;
  /// What is written is acknowledged once it is in the journal of the host's daemon, as long as no more bytes
  /// than this wait to be stored. 0: once it is stored.
  uint64_t write_back_bytes = 0;

  bool operator==(const MountEntry&) const = default;
};

/// Checks an entry by itself: its path, the shape of its URI, sizes. invalid_argument; the message shows no
/// value of an option and no URI that could hold a password.
Status check_entry(const MountEntry& entry);

/// Checks an entry against the stores of this process: its scheme and the names of its options.
Status check_store(const MountEntry& entry, const StoreSchemes& schemes);

/// `path` without doubled slashes, "." and a slash at its end. invalid_argument unless it is absolute and has
/// no ".." and no NUL.
Result<std::string> normal_path(std::string_view path);

/// The path of the namespace that a path or URI names: absolute, from the current directory if it was not;
/// forebay:///data is /data. invalid_argument for the URI of another store.
Result<std::string> namespace_path(std::string_view path_or_uri);

/// Whether an option's value must not be shown: the store says so, or does not know the option.
bool is_secret(const StoreSchemes& schemes, std::string_view scheme, std::string_view option);

/// The options as people may see them: `***` in place of secrets.
StoreOptions shown_options(const MountEntry& entry, const StoreSchemes& schemes);

}  // namespace forebay::storage
