// How an object of a store is called in the cache.
#pragma once

#include <string>
#include <string_view>

#include "forebay/cache/entries/object_version.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// Whether the URI of a key leaves out a part of it that may be secret.
bool may_hide_a_part(std::string_view uri, std::string_view key);

/// Named by its URI, which goes to disk and into messages. What that leaves out is told apart by a hash: the
/// service (ObjectStore::service()), and user, password and query of web objects, which may be secret.
ObjectVersion object_of(const storage::ObjectStore& store, std::string_view key, std::string version);

}  // namespace forebay::cache
