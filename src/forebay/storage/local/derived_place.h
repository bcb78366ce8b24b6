// Where files and remote objects keep side data: in a directory that the user named.
#pragma once

#include <string>
#include <string_view>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// The address for side data of one version of the object `uri`, as ObjectStore::derived() has it: below
/// `root`, or if that is empty below FOREBAY_CACHE_DIR. `unimplemented` where neither is set: nobody would
/// clean up another place.
Result<ObjectAddress> derived_place(std::string root, std::string_view uri, std::string_view version,
                                    std::string_view kind);

}  // namespace forebay::storage
