// Memory from CUDA's own pool, in the order of a stream (cudaMallocAsync).
//
// It is here for programs that share a device with others who use it, and to be compared with memory::Pool.
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
  uint64_t keep_bytes = ~uint64_t{0};  // free memory up to that stays with the pool; else it goes back
  size_t maximum_bytes = 0;            // of the pool; 0: what the device has
};

/// Thread safe; keeps the device alive. A pool of its own, not the device's default one. allocate_on and
/// deallocate_on are put on the queue's stream and wait for nothing; allocate() waits until the host may use
/// the block. A trivial fence means that the queue it was handed to used it last. A block that comes back
/// with the fence of another queue is freed on that one; who used it there has put that queue behind the
/// first.
class AsyncResource final : public memory::MemoryResource,
                            public std::enable_shared_from_this<AsyncResource> {
 public:
  /// unimplemented for a device without memory pools.
  static Result<std::shared_ptr<AsyncResource>> create(std::shared_ptr<Device> device,
                                                       const AsyncOptions& options = {});
  /// Nothing may be out.
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

  /// Gives free memory back to the device.
  Status trim();
  /// Taken from the device now, in bytes.
  Result<uint64_t> reserved_bytes() const;

 private:
  AsyncResource(std::shared_ptr<Device> device, uint32_t host_queue)
      : device_(std::move(device)), host_queue_(host_queue) {}
  Status open(const AsyncOptions& options);
  Result<void*> take(size_t bytes, uint32_t queue);
  void give(void* pointer, uint32_t queue);
  uint32_t owner_of(void* pointer) const;

  const std::shared_ptr<Device> device_;
  const uint32_t host_queue_;  // on which the host's requests are put
  MemoryPoolHandle pool_ = nullptr;
  mutable Mutex mutex_;
  std::unordered_map<void*, uint32_t> owners_
      FOREBAY_GUARDED_BY(mutex_);  // the queue that each block was handed to
};

}  // namespace forebay::cuda
