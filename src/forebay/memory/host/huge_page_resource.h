// Host memory on huge pages, for big arrays that are walked at random.
#pragma once

#include <memory>

#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

/// Each allocation is a mapping of its own, aligned to 2 MiB and marked for huge pages (madvise); where the
/// system has none the pages are small. Nothing is kept.
std::shared_ptr<MemoryResource> huge_page_resource();

}  // namespace forebay::memory
