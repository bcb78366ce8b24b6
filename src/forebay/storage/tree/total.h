// How much lies at an address.
#pragma once

#include <cstdint>
#include <functional>

#include "forebay/storage/tree/entry.h"

namespace forebay::storage {

struct Total {
  uint64_t objects = 0;
  uint64_t bytes = 0;
};

/// Counts what is there: the object, or what a listing names below the folder. `on_page` may be empty; it is
/// told of the total so far. Blocks.
Result<Total> count_objects(const ObjectAddress& address, const Entry& entry, const CallContext& context = {},
                            const std::function<void(const Total& so_far)>& on_page = {});

}  // namespace forebay::storage
