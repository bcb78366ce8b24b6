// The one way bulk bytes are copied, so that every copy is counted (DESIGN rule 4). tools/check_copies.py holds the
// rest of the code to it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace forebay::memory {

/// Copies host memory and adds to the process's `bytes_copied`. The ranges may not overlap.
void copy(void* destination, const void* source, size_t bytes);

/// Bytes copied by this process so far.
uint64_t bytes_copied();

}  // namespace forebay::memory
