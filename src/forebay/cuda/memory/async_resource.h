// Memory from CUDA's own pool, in stream order (cudaMallocAsync).
//
// For programs that share a device with others who use that pool, and for comparison with memory::Pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "forebay/base/sync/mutex.h"
#include "forebay/cuda/device.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::cuda {

struct AsyncOptions {
  // The pool keeps up to this much free memory; the rest goes back to the device.
  uint64_t keep_bytes = ~uint64_t{0};
  size_t maximum_bytes = 0;  // limit of the pool; 0: the device's memory
};

/// Thread safe; keeps the device alive. Uses its own pool, not the device's default one. allocate_on and
/// deallocate_on are put on the queue's stream and never block; allocate() blocks until the host may use the
/// block. A trivial fence means that the queue the block was allocated on used it last. A block freed with
/// the fence of another queue is freed on that queue; the caller must have ordered that queue behind the
/// first.
class AsyncResource final : public memory::MemoryResource,
                            public std::enable_shared_from_this<AsyncResource> {
 public:
  /// unimplemented for a device without memory pools.
  static Result<std::shared_ptr<AsyncResource>> create(std::shared_ptr<Device> device,
                                                       const AsyncOptions& options = {});
  /// No block may still be allocated.
  ~AsyncResource() override;
  AsyncResource(const AsyncResource&) = delete;
  AsyncResource& operator=(const AsyncResource&) = delete;

  Result<void*> allocate(size_t bytes) override;
  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override;
  /// invalid_argument for a queue of another driver.
  Result<void*> allocate_on(size_t bytes, memory::Queue queue) override;
  void deallocate_on(void* pointer, size_t bytes, memory::Queue queue) noexcept override;
  memory::MemoryKind kind() const override { return memory::MemoryKind::kDevice; }
  std::string_view name() const override { return "cudaMallocAsync"; }

  /// Returns free memory to the device.
  Status trim();
  /// How many bytes are currently taken from the device.
  Result<uint64_t> reserved_bytes() const;

 private:
  AsyncResource(std::shared_ptr<Device> device, uint32_t host_queue)
      : device_(std::move(device)), host_queue_(host_queue) {}
  Status open(const AsyncOptions& options);
  Result<void*> take(size_t bytes, uint32_t queue);
  void give(void* pointer, uint32_t queue);
  uint32_t owner_of(void* pointer) const;

  const std::shared_ptr<Device> device_;
  const uint32_t host_queue_;  // the queue for the host's requests
  MemoryPoolHandle pool_ = nullptr;
  mutable Mutex mutex_;
  std::unordered_map<void*, uint32_t> owners_
      FOREBAY_GUARDED_BY(mutex_);  // the queue each block was allocated on
};

}  // namespace forebay::cuda
