#include "bindings/exchange/device_allocator.h"

#include <stdexcept>
#include <string>

#include "bindings/interpreter/errors.h"

using forebay::Result;
using forebay::exchange::DevicePool;
using forebay::exchange::made_device_pool;

void* forebay_device_allocate(size_t bytes, int device, void* stream) {
  DevicePool* const pool = made_device_pool();
  if (pool == nullptr) {
    throw std::runtime_error("Forebay's device pool has not been made");
  }
  const Result<void*> block = pool->allocate(bytes, device, reinterpret_cast<uintptr_t>(stream));
  if (!block.ok()) {
    throw std::runtime_error(std::string(forebay::message(block.status())));
  }
  return *block;
}

void forebay_device_deallocate(void* pointer, size_t bytes, int, void* stream) noexcept {
  if (pointer != nullptr) {
    made_device_pool()->deallocate(pointer, bytes, reinterpret_cast<uintptr_t>(stream));
  }
}

namespace forebay::bindings {

DeviceBlock::DeviceBlock(uint64_t bytes, int device, uint64_t stream)
    : pool_(value_of(exchange::process_device_pool())),
      bytes_(bytes),
      stream_(stream),
      pointer_(value_of(pool_->allocate(bytes, device, stream))) {
}

DeviceBlock::~DeviceBlock() {
  pool_->deallocate(pointer_, bytes_, stream_);
}

}  // namespace forebay::bindings
