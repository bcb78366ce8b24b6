// Where memory comes from. Resources stack: a pool takes from host pages, a limit wraps a pool, a log wraps a
// limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "forebay/base/fence.h"
#include "forebay/base/status.h"
#include "forebay/memory/memory_kind.h"

namespace forebay::memory {

/// Alignment of every allocation: a cache line, and the widest SIMD load.
inline constexpr size_t kAlignment = 64;

/// Thread safe. Sizes of any value are allowed; 0 gives a pointer that may not be read.
class MemoryResource {
 public:
  virtual ~MemoryResource() = default;

  /// At least `bytes` bytes, aligned to kAlignment, content unspecified; resource_exhausted names what was
  /// asked for.
  virtual Result<void*> allocate(size_t bytes) = 0;

  /// Takes back what allocate(bytes) gave. `last_use` is when its last user is done with it.
  virtual void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept = 0;

  virtual MemoryKind kind() const = 0;
  virtual std::string_view name() const = 0;
};

/// Aligned host memory straight from the system.
std::shared_ptr<MemoryResource> host_resource();

/// The process's pool over host memory: what buffers come from when nobody says otherwise.
std::shared_ptr<MemoryResource> host_pool();

}  // namespace forebay::memory
