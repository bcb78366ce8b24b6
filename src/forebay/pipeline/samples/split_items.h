// The items of an operator's parallel_for(), shared among idle workers.
#pragma once

#include <cstdint>
#include <functional>

#include "forebay/memory/memory_resource.h"

namespace forebay::pipeline {

/// Runs function(0) ... function(count - 1) on this thread and on idle workers; scratch memory comes from
/// `scratch`. Rethrows here, where the operator is called, what an item throws: of several exceptions, that
/// of the first item, whatever the number of workers.
void split_items(int64_t count, const std::function<void(int64_t)>& function,
                 memory::MemoryResource& scratch);

}  // namespace forebay::pipeline
