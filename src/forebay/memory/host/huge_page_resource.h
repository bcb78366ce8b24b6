// Host memory on huge pages, for large arrays with random access.
#pragma once

#include <memory>

#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

/// Each allocation is its own mapping, aligned to 2 MiB and marked for huge pages (madvise); if the system
/// has none, the pages are small. Nothing is kept.
std::shared_ptr<MemoryResource> huge_page_resource();

}  // namespace forebay::memory
