// Where memory comes from. Resources stack: a pool allocates from host pages, a limit wraps a pool, a log
// wraps a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/base/sync/fence.h"
#include "forebay/memory/memory_kind.h"

namespace forebay::memory {

/// Alignment of every allocation: one cache line, and the widest SIMD load.
inline constexpr size_t kAlignment = 64;

/// A queue (stream) of a device driver. Driver 0 is the host, whose work is done when the call returns.
struct Queue {
  uint32_t driver = 0;
  uint32_t queue = 0;

  friend bool operator==(const Queue&, const Queue&) = default;
};

/// Thread safe. Sizes of any value are allowed; 0 gives a pointer that must not be dereferenced.
class MemoryResource {
 public:
  virtual ~MemoryResource() = default;

  /// Allocates at least `bytes` bytes, aligned to kAlignment, with unspecified content; resource_exhausted
  /// says how much was requested.
  virtual Result<void*> allocate(size_t bytes) = 0;

  /// Frees memory from allocate(bytes). `last_use` is the fence behind its last use.
  virtual void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept = 0;

  /// Like allocate, for work put on `queue` from now on: earlier work of that queue may still be using the
  /// block. A resource that does not know queues returns an unused block.
  virtual Result<void*> allocate_on(size_t bytes, Queue queue);

  /// Like deallocate; the last use is everything put on `queue` so far. A resource that does not know queues
  /// records a point.
  virtual void deallocate_on(void* pointer, size_t bytes, Queue queue) noexcept;

  virtual MemoryKind kind() const = 0;
  virtual std::string_view name() const = 0;
};

/// Aligned host memory directly from the system.
std::shared_ptr<MemoryResource> host_resource();

/// The process's host memory pool, which buffers use by default.
std::shared_ptr<MemoryResource> host_pool();

}  // namespace forebay::memory
