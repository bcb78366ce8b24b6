// Memory that is in no near cache, asked for before it is needed.
#pragma once

#include <cstddef>

namespace forebay {

inline constexpr size_t kLineBytes = 64;  // what processors hand to each other

/// The lines of `bytes` from `begin`, a line's begin, are wanted for writing. May be any address.
inline void prefetch(const void* begin, size_t bytes) {
  for (size_t offset = 0; offset < bytes; offset += kLineBytes) {
    const char* const line = static_cast<const char*>(begin) + offset;
#if defined(__x86_64__)
    // Older processors take it for no operation; compilers give it only to those that promise more.
    asm volatile("prefetchw %0" : : "m"(*line));
#else
    __builtin_prefetch(line, 1);
#endif
  }
}

}  // namespace forebay
