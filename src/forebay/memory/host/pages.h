// Anonymous memory straight from the kernel.
#pragma once

#include <cstddef>

namespace forebay::memory {

inline constexpr size_t kPageBytes = 4096;
inline constexpr size_t kHugePageBytes = size_t{2} << 20;

/// `bytes` (a multiple of kPageBytes) of zeroed memory; nullptr when the system has none. With `huge`,
/// aligned to huge pages and marked for them: fewer faults, and memory that is touched in part counts in
/// pieces of 2 MiB.
void* map_pages(size_t bytes, bool huge);
void unmap_pages(void* pointer, size_t bytes);

/// Zeroed memory of which only what is touched counts: for tables that are mostly empty. nullptr when there
/// is no address space.
void* map_sparse_pages(size_t bytes);

/// Address space without memory, aligned to huge pages; nullptr when there is none. unmap_pages gives it
/// back.
void* reserve_pages(size_t bytes);
/// Makes reserved pages usable (false when the system refuses), unusable again, or empties usable ones.
bool commit_pages(void* pointer, size_t bytes, bool huge);
void decommit_pages(void* pointer, size_t bytes);
void empty_pages(void* pointer, size_t bytes);

}  // namespace forebay::memory
