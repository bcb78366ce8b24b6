// Using more memory than the device has, without paying for it page by page.
//
// Managed memory migrates when it is touched, one page fault at a time, which is slow. A block that is
// allocated on a queue is about to be used there, so it is migrated at once, on that queue, ahead of the work
// to come. With a memory::Pool of managed memory whose maximum exceeds the device's memory, this is
// oversubscription; the driver migrates the least recently used memory to the host.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "forebay/cuda/device.h"
#include "forebay/memory/adaptors/adaptor.h"

namespace forebay::cuda {

enum class Place { kHost, kDevice };

/// Puts the migration of managed memory on a queue; does not block. It is only a hint: the content is the
/// same wherever it is. unimplemented if host and device may not access managed memory at the same time;
/// invalid_argument for memory that is not managed. Thread safe.
Status prefetch(Device& device, uint32_t queue, void* pointer, size_t bytes, Place place);

struct PrefetchOptions {
  size_t least_bytes = size_t{64} << 10;  // smaller blocks are not migrated
};

struct PrefetchStatistics {
  uint64_t prefetches = 0;  // migrations put on queues
  uint64_t bytes = 0;       // bytes of these
  uint64_t refused = 0;     // refused by the driver; the block was allocated all the same
};

/// Migrates each block allocated on a queue of `device` to the device. Blocks for the host and for other
/// drivers' queues are left alone. Thread safe; keeps the device alive.
class PrefetchResource final : public memory::Adaptor {
 public:
  /// invalid_argument if the upstream's memory is not managed; unimplemented for a device without this
  /// ability.
  static Result<std::shared_ptr<PrefetchResource>> create(std::shared_ptr<memory::MemoryResource> upstream,
                                                          std::shared_ptr<Device> device,
                                                          const PrefetchOptions& options = {});
  std::string_view name() const override { return "prefetch"; }
  PrefetchStatistics statistics() const;

 private:
  PrefetchResource(std::shared_ptr<memory::MemoryResource> upstream, std::shared_ptr<Device> device,
                   const PrefetchOptions& options);
  Result<void*> take(size_t bytes, const memory::Queue* queue) override;
  void give(void* pointer, size_t bytes, const LastUse& last_use) noexcept override;
  void move(void* pointer, size_t bytes, uint32_t queue);

  const std::shared_ptr<Device> device_;
  const PrefetchOptions options_;
  std::atomic<uint64_t> prefetches_{0};
  std::atomic<uint64_t> bytes_{0};
  std::atomic<uint64_t> refused_{0};
};

}  // namespace forebay::cuda
