// Removes a folder with all that is below it, from any store.
#pragma once

#include <functional>
#include <string>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

struct RemoveOptions {
  /// Called with the number of objects that are gone, after each page of the listing, on the calling thread.
  std::function<void(uint64_t objects)> progress;
};

/// Removes the objects below `folder`, a key that ends with "/" or is empty, many at once; where the
/// store has directories, then those, from the bottom up. Symbolic links of the file system are removed
/// themselves, not what they lead to. Returns how many objects were removed. Blocks; ends with the page of
/// the first error.
/// Ask StoreRegistry::check_no_mount() first.
Result<uint64_t> remove_tree(ObjectStore& store, const std::string& folder, const RemoveOptions& options = {},
                             const CallContext& context = {});

/// Whether the key names a symbolic link of the file system, with a slash at its end or not.
bool is_symbolic_link(const ObjectStore& store, const std::string& key);

/// `key` without slashes at its end; "/" stays as it is.
std::string without_end_slash(std::string key);

}  // namespace forebay::storage
