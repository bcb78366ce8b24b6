// Where memory comes from. Resources stack: a pool takes from host pages, a limit wraps a pool, a log wraps a
// limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/base/sync/fence.h"
#include "forebay/memory/memory_kind.h"

namespace forebay::memory {

/// Alignment of every allocation: a cache line, and the widest SIMD load.
inline constexpr size_t kAlignment = 64;

/// A queue (stream) of a device driver. Driver 0 is the host, whose work is done when the call returns.
struct Queue {
  uint32_t driver = 0;
  uint32_t queue = 0;

  friend bool operator==(const Queue&, const Queue&) = default;
};

/// Thread safe. Sizes of any value are allowed; 0 gives a pointer that may not be read.
class MemoryResource {
 public:
  virtual ~MemoryResource() = default;

  /// At least `bytes` bytes, aligned to kAlignment, content unspecified; resource_exhausted names what was
  /// asked for.
  virtual Result<void*> allocate(size_t bytes) = 0;

  /// Takes back what allocate(bytes) gave. `last_use` is when its last user is done with it.
  virtual void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept = 0;

  /// As allocate, for work that is put on `queue` from now on: the block may be one that earlier work of that
  /// queue still uses. A resource that knows nothing of queues gives a block that nobody uses.
  virtual Result<void*> allocate_on(size_t bytes, Queue queue);

  /// As deallocate, last used by what was put on `queue` until now. A resource that knows nothing of queues
  /// has the point recorded.
  virtual void deallocate_on(void* pointer, size_t bytes, Queue queue) noexcept;

  virtual MemoryKind kind() const = 0;
  virtual std::string_view name() const = 0;
};

/// Aligned host memory straight from the system.
std::shared_ptr<MemoryResource> host_resource();

/// The process's pool over host memory: what buffers come from when nobody says otherwise.
std::shared_ptr<MemoryResource> host_pool();

}  // namespace forebay::memory
