// One pool over a device's memory for all frameworks that pass CUDA streams: it serves PyTorch's pluggable
// allocator, CuPy and Numba. A freed block can be reused at once by its own stream, and by other streams
// behind it, whichever framework they belong to.
#pragma once

#include <cstdint>
#include <memory>

#include "forebay/base/status.h"
#include "forebay/memory/pool/pool.h"

namespace forebay::exchange {

/// More than any device has, so the device's memory is the limit.
inline constexpr uint64_t kDevicePoolBytes = uint64_t{1} << 38;

/// Thread safe.
class DevicePool {
 public:
  /// Makes a pool over the memory of `driver`, whose streams must have names (streams.h); it takes at most
  /// `maximum_bytes`.
  static Result<std::shared_ptr<DevicePool>> create(uint32_t driver, memory::MemoryKind kind,
                                                    uint64_t maximum_bytes = kDevicePoolBytes);

  /// Allocates at least `bytes` bytes for work on `stream` of `device`. Streams are CUDA's handles: 0 and 1
  /// are the legacy default stream, 2 the per-thread one. invalid_argument for a device other than 0 or an
  /// unknown stream; resource_exhausted lists the largest holes.
  Result<void*> allocate(uint64_t bytes, int device, uint64_t stream);
  /// Frees memory from allocate(bytes). Its last use is everything put on `stream` so far. A stream that has
  /// been destroyed has no work left; its block becomes available to everybody after all work on the default
  /// stream.
  void deallocate(void* pointer, uint64_t bytes, uint64_t stream) noexcept;

  memory::PoolStatistics statistics() const { return pool_->statistics(); }

 private:
  DevicePool(uint32_t driver, std::shared_ptr<memory::Pool> pool) : driver_(driver), pool_(std::move(pool)) {}

  const uint32_t driver_;
  const std::shared_ptr<memory::Pool> pool_;
};

/// The process-wide pool, over the device of driver_of_streams(). Made by the first call and never destroyed;
/// later calls return the same pool and ignore their argument. failed_precondition, with the reason, if no
/// device can be used.
Result<DevicePool*> process_device_pool(uint64_t maximum_bytes = kDevicePoolBytes);

/// The process-wide pool if it has been made, else null.
DevicePool* made_device_pool();

}  // namespace forebay::exchange
