// Side data of objects, such as the table of a shard, as entries of a cache. No store has it: what the cache
// lets go is made anew by whoever needs it. So it lies within the cache's quota, and goes as other entries
// do.
#pragma once

#include <memory>
#include <string_view>

#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// What lies beneath a cache for side data: it takes everything, and has nothing. Its URIs begin with
/// kSideScheme (rules/rule_table.h). One for the process; thread safe.
std::shared_ptr<storage::ObjectStore> side_upstream();

/// The address of side data about one version of an object of `store`, as ObjectStore::derived() has it.
/// `cached` is a cache over side_upstream().
storage::ObjectAddress side_address(std::shared_ptr<storage::ObjectStore> cached,
                                    const storage::ObjectStore& store, std::string_view key,
                                    std::string_view version, std::string_view kind);

}  // namespace forebay::cache
