// Names of web stores, whose keys are parts of URLs: not every part of a path is one part of a URL.
#pragma once

#include <string>
#include <string_view>

#include "forebay/storage/object_store.h"

namespace forebay::fuse {

/// Whether the store's keys are written as in URLs, so that `%41` stands for `A`.
inline bool has_url_names(const storage::ObjectStore& store) {
  return store.name_of("%41") == "A";
}

/// Whether a name stands for one name below its folder's URL. Others begin a query or a fragment, or lead,
/// once the server has decoded them, to another folder.
bool is_url_name(std::string_view name);

}  // namespace forebay::fuse
