#include "forebay/memory/copy.h"

#include <cstring>

#include "forebay/base/metrics.h"

namespace forebay::memory {
namespace {

Counter& copied() {
  static Counter& instance = counter("bytes_copied");
  return instance;
}

}  // namespace

void copy(void* destination, const void* source, size_t bytes) {
  if (bytes == 0) {
    return;
  }
  std::memcpy(destination, source, bytes);
  copied().add(bytes);
}

uint64_t bytes_copied() { return copied().value(); }

}  // namespace forebay::memory
