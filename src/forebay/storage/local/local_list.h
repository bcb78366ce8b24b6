// Listing a tree of files as an object store lists keys: sorted by bytes of the whole key, by pages.
#pragma once

#include <string>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Keys are paths below `root`, or any paths when it is empty. Directories above the prefix that do not exist
/// hold nothing, as in an object store. Files only: what is neither a regular file nor a directory is left
/// out, and so is a link that leads back to a directory above it.
Result<ListPage> list_files(const std::string& root, const ListRequest& request);

}  // namespace forebay::storage
