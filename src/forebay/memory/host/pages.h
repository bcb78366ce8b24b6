// Anonymous memory directly from the kernel.
#pragma once

#include <cstddef>

namespace forebay::memory {

inline constexpr size_t kPageBytes = 4096;
inline constexpr size_t kHugePageBytes = size_t{2} << 20;

/// Maps `bytes` (a multiple of kPageBytes) of zeroed memory; nullptr if the system has none. With `huge` it
/// is aligned to huge pages and marked for them: fewer page faults, but memory is committed in pieces of 2
/// MiB.
void* map_pages(size_t bytes, bool huge);
void unmap_pages(void* pointer, size_t bytes);

/// Zeroed memory that is only committed where it is touched, for tables that are mostly empty. nullptr if
/// there is no address space.
void* map_sparse_pages(size_t bytes);

/// Reserves address space without memory, aligned to huge pages; nullptr if there is none. Release it with
/// unmap_pages.
void* reserve_pages(size_t bytes);
/// Make reserved pages usable (false if the system refuses), make them unusable again, or discard the content
/// of usable ones.
bool commit_pages(void* pointer, size_t bytes, bool huge);
void decommit_pages(void* pointer, size_t bytes);
void empty_pages(void* pointer, size_t bytes);

}  // namespace forebay::memory
