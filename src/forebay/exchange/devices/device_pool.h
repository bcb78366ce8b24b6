// One pool over a device's memory for every framework that names CUDA's streams: what PyTorch's pluggable
// allocator, CuPy and Numba are given. A block that comes back is used again by its own stream at once and by
// others behind it, whichever framework they belong to.
#pragma once

#include <cstdint>
#include <memory>

#include "forebay/base/status.h"
#include "forebay/memory/pool/pool.h"

namespace forebay::exchange {

/// More than a device has: what it has is the limit.
inline constexpr uint64_t kDevicePoolBytes = uint64_t{1} << 38;

/// Thread safe.
class DevicePool {
 public:
  /// Over the memory of `driver`, whose streams have names (streams.h); takes at most `maximum_bytes`.
  static Result<std::shared_ptr<DevicePool>> create(uint32_t driver, memory::MemoryKind kind,
                                                    uint64_t maximum_bytes = kDevicePoolBytes);

  /// At least `bytes` bytes for work of `stream` of `device`. Streams are CUDA's handles: 0 and 1 the legacy
  /// default stream, 2 the per-thread one. invalid_argument for a device other than 0 or an unknown stream,
  /// resource_exhausted with the largest holes.
  Result<void*> allocate(uint64_t bytes, int device, uint64_t stream);
  /// Takes back what allocate(bytes) gave, last used by what was put on `stream` until now. Streams that are
  /// gone by now have no work: the block is everybody's after all of the default stream's.
  void deallocate(void* pointer, uint64_t bytes, uint64_t stream) noexcept;

  memory::PoolStatistics statistics() const { return pool_->statistics(); }

 private:
  DevicePool(uint32_t driver, std::shared_ptr<memory::Pool> pool) : driver_(driver), pool_(std::move(pool)) {}

  const uint32_t driver_;
  const std::shared_ptr<memory::Pool> pool_;
};

/// The process's, over the device of driver_of_streams(); made by the first call, never destroyed. Later
/// calls give the same whatever they ask for. failed_precondition where no device can be used, with the
/// reason.
Result<DevicePool*> process_device_pool(uint64_t maximum_bytes = kDevicePoolBytes);

/// The process's if it has been made, else null.
DevicePool* made_device_pool();

}  // namespace forebay::exchange
