#include "forebay/exchange/devices/device_pool.h"

#include <algorithm>
#include <atomic>

#include "forebay/base/sync/mutex.h"
#include "forebay/exchange/devices/cuda_devices.h"
#include "forebay/exchange/devices/streams.h"
#include "forebay/memory/device/driver_resource.h"

namespace forebay::exchange {
namespace {

std::atomic<DevicePool*> made_pool{nullptr};

// CUDA's null handle is the legacy default stream.
uint64_t number_of(uint64_t stream) {
  return std::max(stream, kLegacyDefaultStream);
}

}  // namespace

Result<std::shared_ptr<DevicePool>> DevicePool::create(uint32_t driver, memory::MemoryKind kind,
                                                       uint64_t maximum_bytes) {
  FOREBAY_ASSIGN_OR_RETURN(auto upstream, memory::driver_resource(driver, kind));
  memory::PoolOptions options;
  options.name = "device pool";
  options.upstream = std::move(upstream);
  options.maximum_bytes = maximum_bytes;
  FOREBAY_ASSIGN_OR_RETURN(auto pool, memory::Pool::create(std::move(options)));
  return std::shared_ptr<DevicePool>(new DevicePool(driver, std::move(pool)));
}

Result<void*> DevicePool::allocate(uint64_t bytes, int device, uint64_t stream) {
  if (device != 0) {
    return invalid_argument("the pool is on device 0; {} bytes on device {} were requested", bytes, device);
  }
  FOREBAY_ASSIGN_OR_RETURN(const uint32_t queue, queue_of_stream(driver_, number_of(stream)));
  return pool_->allocate_on(bytes, {.driver = driver_, .queue = queue});
}

void DevicePool::deallocate(void* pointer, uint64_t bytes, uint64_t stream) noexcept {
  Result<uint32_t> queue = queue_of_stream(driver_, number_of(stream));
  if (!queue.ok()) {
    queue = queue_of_stream(driver_, kLegacyDefaultStream);
  }
  if (queue.ok()) {
    pool_->deallocate_on(pointer, bytes, {.driver = driver_, .queue = *queue});
  }  // otherwise the device is gone, and its memory with it
}

Result<DevicePool*> process_device_pool(uint64_t maximum_bytes) {
  static auto& mutex = *new Mutex;
  const MutexLock lock(mutex);
  if (DevicePool* const made = made_pool.load()) {
    return made;
  }
  FOREBAY_ASSIGN_OR_RETURN(const uint32_t driver, driver_of_streams());
  FOREBAY_ASSIGN_OR_RETURN(auto pool, DevicePool::create(driver, memory::MemoryKind::kDevice, maximum_bytes));
  // Never destroyed: frameworks free blocks during process exit.
  auto* const kept = new std::shared_ptr<DevicePool>(std::move(pool));
  made_pool.store(kept->get());
  return kept->get();
}

DevicePool* made_device_pool() {
  return made_pool.load();
}

}  // namespace forebay::exchange
