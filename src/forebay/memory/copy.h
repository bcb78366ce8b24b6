// The one way bulk bytes are copied, so that every copy is counted (rule 4 of the design).
// tools/check_copies.py holds the rest of the code to it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/base/status.h"
#include "forebay/base/sync/fence.h"

namespace forebay::memory {

/// Copies host memory and adds to the process's `bytes_copied`. The ranges may not overlap.
void copy(void* destination, const void* source, size_t bytes);

/// Puts a copy on a queue of a device driver, each side being the host's or that device's memory, and counts
/// it. Both sides must stay valid until the fence that comes back has passed. After an error nothing was put
/// on the queue.
Result<Fence> copy_async(uint32_t driver, uint32_t queue, void* destination, const void* source,
                         size_t bytes);

/// For drivers that are host code: moves the bytes of a copy that copy_async counts.
void copy_for_driver(void* destination, const void* source, size_t bytes);

/// Bytes copied by this process so far.
uint64_t bytes_copied();

}  // namespace forebay::memory
