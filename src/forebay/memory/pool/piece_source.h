// Where a pool's memory comes from, in big pieces.
#pragma once

#include <cstddef>
#include <memory>

#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

/// Used under the pool's lock, so it need not be thread safe.
class PieceSource {
 public:
  virtual ~PieceSource() = default;

  /// `bytes` bytes (a multiple of unit_bytes()).
  virtual Result<std::byte*> grow(size_t bytes) = 0;
  /// Takes back a piece, or when the pieces are contiguous any end of them that is a multiple of
  /// unit_bytes(). A contiguous piece whose use cannot be waited for is lost.
  virtual void shrink(std::byte* start, size_t bytes, Fence last_use) noexcept = 0;
  /// Gives the memory of whole pages back but keeps the addresses; the bytes given back.
  virtual size_t empty(std::byte* start, size_t bytes) noexcept = 0;

  /// Each piece follows the one before.
  virtual bool is_contiguous() const = 0;
  virtual size_t unit_bytes() const = 0;
  virtual MemoryKind kind() const = 0;
};

/// Pieces of host memory one behind the other in address space that is reserved once; memory that was never
/// touched counts as nothing. `huge_pages` asks the system for pages of 2 MiB.
Result<std::unique_ptr<PieceSource>> reserve_host_pieces(size_t maximum_bytes, bool huge_pages);

/// Pieces that are allocations of `resource`.
std::unique_ptr<PieceSource> pieces_of(std::shared_ptr<MemoryResource> resource);

}  // namespace forebay::memory
