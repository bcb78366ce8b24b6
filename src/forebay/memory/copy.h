// All bulk copies go through here, so that every copy is counted (rule 4 of the design).
// tools/check_copies.py enforces it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/base/status.h"
#include "forebay/base/sync/fence.h"

namespace forebay::memory {

/// Copies host memory and adds to the process's `bytes_copied`. The ranges must not overlap.
void copy(void* destination, const void* source, size_t bytes);

/// Puts a copy on a queue of a device driver and counts it. Each side may be memory of the host or of that
/// device, and must stay valid until the returned fence has passed. After an error nothing was put on the
/// queue.
Result<Fence> copy_async(uint32_t driver, uint32_t queue, void* destination, const void* source,
                         size_t bytes);

/// For drivers implemented on the host: performs a copy that copy_async has counted.
void copy_for_driver(void* destination, const void* source, size_t bytes);

/// Bytes copied by this process so far.
uint64_t bytes_copied();

}  // namespace forebay::memory
