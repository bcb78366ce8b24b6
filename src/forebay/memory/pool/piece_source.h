// Supplies a pool with memory in large pieces.
#pragma once

#include <cstddef>
#include <memory>

#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

/// Used under the pool's lock, so it need not be thread safe.
class PieceSource {
 public:
  virtual ~PieceSource() = default;

  /// Adds `bytes` bytes (a multiple of unit_bytes()).
  virtual Result<std::byte*> grow(size_t bytes) = 0;
  /// Frees a piece or, if pieces are contiguous, any part at their end that is a multiple of unit_bytes(). A
  /// contiguous piece whose last use cannot be waited for is leaked.
  virtual void shrink(std::byte* start, size_t bytes, Fence last_use) noexcept = 0;
  /// Frees the memory of whole pages but keeps the addresses; returns the number of bytes freed.
  virtual size_t empty(std::byte* start, size_t bytes) noexcept = 0;

  /// Whether each piece directly follows the previous one.
  virtual bool is_contiguous() const = 0;
  virtual size_t unit_bytes() const = 0;
  virtual MemoryKind kind() const = 0;
};

/// Consecutive pieces of host memory in address space that is reserved once; untouched memory costs nothing.
/// `huge_pages` asks the system for pages of 2 MiB.
Result<std::unique_ptr<PieceSource>> reserve_host_pieces(size_t maximum_bytes, bool huge_pages);

/// Pieces allocated from `resource`.
std::unique_ptr<PieceSource> pieces_of(std::shared_ptr<MemoryResource> resource);

}  // namespace forebay::memory
