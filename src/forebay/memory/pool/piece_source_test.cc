#include "forebay/memory/pool/piece_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/host/pages.h"

namespace forebay::memory {
namespace {

constexpr size_t kPages = 64;
constexpr size_t kPieceBytes = kPages * kPageBytes;

std::unique_ptr<PieceSource> host_pieces(size_t bytes = kHugePageBytes) {
  return *reserve_host_pieces(bytes, /*huge_pages=*/false);
}

TEST(HostPieces, LieBehindEachOtherUpToTheMaximum) {
  const auto pieces = host_pieces(1);
  std::byte* const first = *pieces->grow(kPieceBytes);
  EXPECT_EQ(*pieces->grow(kPieceBytes), first + kPieceBytes);
  EXPECT_EQ(pieces->grow(kHugePageBytes).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(*pieces->grow(kHugePageBytes - 2 * kPieceBytes), first + 2 * kPieceBytes);
  EXPECT_EQ(pieces->grow(kPageBytes).status().code(), StatusCode::kResourceExhausted);
}

TEST(HostPieces, DoNotGrowIntoOthersThatLieBehindThem) {
  std::vector<std::unique_ptr<PieceSource>> neighbours(8);
  for (auto& pieces : neighbours) {
    pieces = host_pieces();
    ASSERT_TRUE(pieces->grow(kHugePageBytes).ok());
  }
  for (const auto& pieces : neighbours) {
    EXPECT_EQ(pieces->grow(kPageBytes).status().code(), StatusCode::kResourceExhausted);
  }
}

TEST(HostPieces, WhatShrinksMayGrowAgain) {
  const auto pieces = host_pieces();
  std::byte* const piece = *pieces->grow(kHugePageBytes);
  std::fill_n(piece, kHugePageBytes, std::byte{7});
  pieces->shrink(piece + kHugePageBytes - kPieceBytes, kPieceBytes, Fence{});
  EXPECT_EQ(*pieces->grow(kPieceBytes), piece + kHugePageBytes - kPieceBytes);
  EXPECT_EQ(piece[kHugePageBytes - kPieceBytes - 1], std::byte{7});
  EXPECT_EQ(piece[kHugePageBytes - kPieceBytes], std::byte{0}) << "the pages were given back";
}

TEST(HostPieces, ShrinkBehindTheLastUse) {
  const auto device = *SimulatedDevice::create({.eager = false});
  const auto pieces = host_pieces();
  std::byte* const piece = *pieces->grow(kPieceBytes);
  std::byte seen{0};
  piece[5] = std::byte{42};
  ASSERT_TRUE(device
                  ->submit(1,
                           [&] {
                             seen = piece[5];
                             return ok_status();
                           })
                  .ok());
  pieces->shrink(piece, kPieceBytes, *device->record(1));
  EXPECT_EQ(device->pending(), 0);
  EXPECT_EQ(seen, std::byte{42});
}

TEST(HostPieces, ShrinkAfterTheirDriverIsGone) {
  auto device = *SimulatedDevice::create({.eager = false});
  const Fence fence = *device->record(1);
  device.reset();
  const auto pieces = host_pieces();
  pieces->shrink(*pieces->grow(kPieceBytes), kPieceBytes, fence);
  EXPECT_TRUE(pieces->grow(kHugePageBytes).ok());
}

TEST(HostPieces, EmptyKeepsWhatSharesItsPages) {
  const auto pieces = host_pieces();
  std::byte* const piece = *pieces->grow(kPieceBytes);
  std::fill_n(piece, kPieceBytes, std::byte{7});
  EXPECT_EQ(pieces->empty(piece + 1, 2 * kPageBytes - 2), 0) << "it has no page of its own";
  EXPECT_EQ(pieces->empty(piece + 100, 3 * kPageBytes), 2 * kPageBytes);
  EXPECT_EQ(std::count(piece, piece + kPageBytes, std::byte{7}), kPageBytes);
  EXPECT_EQ(std::count(piece + kPageBytes, piece + 3 * kPageBytes, std::byte{0}), 2 * kPageBytes);
  EXPECT_EQ(std::count(piece + 3 * kPageBytes, piece + kPieceBytes, std::byte{7}),
            kPieceBytes - 3 * kPageBytes);
}

/// Records what it was told.
class Upstream final : public MemoryResource {
 public:
  Result<void*> allocate(size_t bytes) override {
    if (bytes > kPieceBytes) {
      return resource_exhausted("no more");
    }
    memory_.resize(bytes);
    return memory_.data();
  }
  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override {
    EXPECT_EQ(pointer, memory_.data());
    returned_bytes = bytes;
    behind = last_use;
  }
  MemoryKind kind() const override { return MemoryKind::kPinned; }
  std::string_view name() const override { return "upstream"; }

  size_t returned_bytes = 0;
  Fence behind;

 private:
  std::vector<std::byte> memory_;
};

TEST(ResourcePieces, PassOnWhatTheyAreTold) {
  const auto upstream = std::make_shared<Upstream>();
  const auto pieces = pieces_of(upstream);
  EXPECT_FALSE(pieces->is_contiguous());
  EXPECT_EQ(pieces->kind(), MemoryKind::kPinned);
  std::byte* const piece = *pieces->grow(kPieceBytes);
  EXPECT_EQ(pieces->empty(piece, kPieceBytes), 0);
  EXPECT_EQ(pieces->grow(2 * kPieceBytes).status().code(), StatusCode::kResourceExhausted);
  pieces->shrink(piece, kPieceBytes, Fence{.driver = 3, .queue = 2, .sequence = 9});
  EXPECT_EQ(upstream->returned_bytes, kPieceBytes);
  EXPECT_EQ(upstream->behind.driver, 3);
  EXPECT_EQ(upstream->behind.sequence, 9);
}

}  // namespace
}  // namespace forebay::memory
