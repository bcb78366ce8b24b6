#include "forebay/memory/copy.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "forebay/base/metrics/metrics.h"
#include "forebay/memory/copy_past_cache.h"
#include "forebay/memory/device_driver.h"
#include "forebay/memory/last_use.h"

namespace forebay::memory {
namespace {

// Found when the library is loaded. Found by the first copy, a child that is forked meanwhile would wait for
// the thread that finds it for ever.
Counter& copied = counter("bytes_copied");

#if defined(__SSE2__)
constexpr size_t kLine = 64;

// Copies whole cache lines; the destination is aligned to them.
void stream_lines(std::byte* to, const std::byte* from, size_t lines) {
  constexpr size_t kAhead = 4096;  // prefetch distance in bytes
  constexpr size_t kVectors = kLine / sizeof(__m128i);
  auto* out = reinterpret_cast<__m128i*>(to);
  const auto* in = reinterpret_cast<const __m128i*>(from);
  for (size_t line = 0; line < lines; ++line) {
    _mm_prefetch(reinterpret_cast<const char*>(in) + kAhead, _MM_HINT_T0);
    for (size_t i = 0; i < kVectors; ++i) {
      _mm_stream_si128(out++, _mm_loadu_si128(in++));
    }
  }
  _mm_sfence();  // before others may read the data
}
#endif

}  // namespace

void copy(void* destination, const void* source, size_t bytes) {
  if (bytes == 0) {
    return;
  }
  std::memcpy(destination, source, bytes);
  copied.add(bytes);
}

void copy_past_cache(void* destination, const void* source, size_t bytes) {
  if (bytes == 0) {
    return;
  }
#if defined(__SSE2__)
  const auto* from = static_cast<const std::byte*>(source);
  auto* to = static_cast<std::byte*>(destination);
  const size_t before = std::min(bytes, (kLine - reinterpret_cast<uintptr_t>(to) % kLine) % kLine);
  std::memcpy(to, from, before);
  const size_t lines = (bytes - before) / kLine;
  stream_lines(to + before, from + before, lines);
  const size_t done = before + lines * kLine;
  std::memcpy(to + done, from + done, bytes - done);
#else
  std::memcpy(destination, source, bytes);
#endif
  copied.add(bytes);
}

Result<Fence> copy_async(uint32_t driver, uint32_t queue, void* destination, const void* source,
                         size_t bytes) {
  const DeviceDriver* table = find_driver(driver);
  if (table == nullptr) {
    return failed_precondition("there is no device driver {} (any more)", driver);
  }
  const int error = table->copy(table->context, queue, destination, source, bytes);
  if (error < 0) {
    return unavailable("copy of driver '{}': {}", table->name, table->error_text(table->context, error));
  }
  copied.add(bytes);
  // With an error here, the caller would free memory that the copy still uses.
  return end_of_queue(driver, queue);
}

void copy_for_driver(void* destination, const void* source, size_t bytes) {
  if (bytes != 0) {
    std::memcpy(destination, source, bytes);
  }
}

uint64_t bytes_copied() {
  return copied.value();
}

}  // namespace forebay::memory
