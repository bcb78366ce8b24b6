#include "forebay/memory/copy.h"

#include <cstring>

#include "forebay/base/metrics.h"
#include "forebay/memory/device_driver.h"

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
  copied().add(bytes);
  return record(driver, queue);
}

void copy_for_driver(void* destination, const void* source, size_t bytes) {
  if (bytes != 0) {
    std::memcpy(destination, source, bytes);
  }
}

uint64_t bytes_copied() {
  return copied().value();
}

}  // namespace forebay::memory
