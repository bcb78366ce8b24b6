// Whether two names lead to one place, as far as that can be told.
#pragma once

#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Whether `inner` is `folder` or lies below it: by the stores' services and URIs, which mounts share with
/// the URIs that they stand for; for local files by the paths without links. Two endpoints of one service are
/// not known to be one. Blocks.
bool lies_within(const ObjectAddress& inner, const ObjectAddress& folder);

/// The same of two objects: whether both names are of one. Blocks.
bool is_one_place(const ObjectAddress& one, const ObjectAddress& other);

}  // namespace forebay::storage
