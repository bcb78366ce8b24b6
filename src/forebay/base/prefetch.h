// Prefetches memory that is in no near cache.
#pragma once

#include <cstddef>

namespace forebay {

inline constexpr size_t kLineBytes = 64;  // the unit that processors exchange

/// Prefetches for writing the cache lines of `bytes` bytes from `begin`, the start of a line. The address
/// need not be valid.
inline void prefetch(const void* begin, size_t bytes) {
  for (size_t offset = 0; offset < bytes; offset += kLineBytes) {
    const char* const line = static_cast<const char*>(begin) + offset;
#if defined(__x86_64__)
    // Older processors treat it as a no-op; compilers emit it only for processors that are known to have it.
    asm volatile("prefetchw %0" : : "m"(*line));
#else
    __builtin_prefetch(line, 1);
#endif
  }
}

}  // namespace forebay
