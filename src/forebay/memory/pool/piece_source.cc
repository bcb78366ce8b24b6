#include "forebay/memory/pool/piece_source.h"

#include "forebay/base/round_up.h"
#include "forebay/memory/host/pages.h"
#include "forebay/memory/last_use.h"

namespace forebay::memory {
namespace {

class HostPieces final : public PieceSource {
 public:
  HostPieces(std::byte* start, size_t bytes, bool huge_pages)
      : start_(start), bytes_(bytes), huge_pages_(huge_pages) {}
  ~HostPieces() override { unmap_pages(start_, bytes_); }

  Result<std::byte*> grow(size_t bytes) override {
    std::byte* const piece = start_ + used_;
    if (bytes > bytes_ - used_ || !commit_pages(piece, bytes, huge_pages_)) {
      return resource_exhausted("the system could not provide {} bytes of host memory", bytes);
    }
    used_ += bytes;
    return piece;
  }

  void shrink(std::byte* start, size_t bytes, Fence last_use) noexcept override {
    if (!wait_until_over(last_use)) {
      return;
    }
    decommit_pages(start, bytes);
    used_ -= bytes;
  }

  size_t empty(std::byte* start, size_t bytes) noexcept override {
    const size_t before =
        round_up(reinterpret_cast<uintptr_t>(start), kPageBytes) - reinterpret_cast<uintptr_t>(start);
    if (bytes < before + kPageBytes) {
      return 0;
    }
    const size_t whole = (bytes - before) / kPageBytes * kPageBytes;
    empty_pages(start + before, whole);
    return whole;
  }

  bool is_contiguous() const override { return true; }
  size_t unit_bytes() const override { return huge_pages_ ? kHugePageBytes : kPageBytes; }
  MemoryKind kind() const override { return MemoryKind::kHost; }

 private:
  std::byte* const start_;
  const size_t bytes_;
  const bool huge_pages_;
  size_t used_ = 0;
};

class ResourcePieces final : public PieceSource {
 public:
  explicit ResourcePieces(std::shared_ptr<MemoryResource> resource) : resource_(std::move(resource)) {}

  Result<std::byte*> grow(size_t bytes) override {
    FOREBAY_ASSIGN_OR_RETURN(void* piece, resource_->allocate(bytes));
    return static_cast<std::byte*>(piece);
  }
  void shrink(std::byte* start, size_t bytes, Fence last_use) noexcept override {
    resource_->deallocate(start, bytes, last_use);
  }
  size_t empty(std::byte*, size_t) noexcept override { return 0; }
  bool is_contiguous() const override { return false; }
  size_t unit_bytes() const override { return kPageBytes; }
  MemoryKind kind() const override { return resource_->kind(); }

 private:
  const std::shared_ptr<MemoryResource> resource_;
};

}  // namespace

Result<std::unique_ptr<PieceSource>> reserve_host_pieces(size_t maximum_bytes, bool huge_pages) {
  const size_t bytes = round_up(maximum_bytes, kHugePageBytes);
  void* start = reserve_pages(bytes);
  if (start == nullptr) {
    return resource_exhausted("the system could not provide {} bytes of address space", bytes);
  }
  return std::make_unique<HostPieces>(static_cast<std::byte*>(start), bytes, huge_pages);
}

std::unique_ptr<PieceSource> pieces_of(std::shared_ptr<MemoryResource> resource) {
  return std::make_unique<ResourcePieces>(std::move(resource));
}

}  // namespace forebay::memory
