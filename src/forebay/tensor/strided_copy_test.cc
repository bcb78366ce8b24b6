#include "forebay/tensor/strided_copy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "forebay/memory/copy.h"

namespace forebay::tensor {
namespace {

// Copies element by element.
void copy_plainly(std::span<const StridedAxis> axes, int64_t bytes, const std::byte* in, std::byte* out) {
  if (axes.empty()) {
    std::memcpy(out, in, static_cast<size_t>(bytes));
    return;
  }
  for (int64_t i = 0; i < axes[0].extent; ++i) {
    copy_plainly(axes.subspan(1), bytes, in + i * axes[0].in_stride_bytes,
                 out + i * axes[0].out_stride_bytes);
  }
}

TEST(StridedCopy, IsWhatElementByElementGives) {
  std::mt19937 random(7);
  constexpr int64_t kHalf = 1 << 16;
  std::vector<std::byte> in(2 * kHalf);
  for (std::byte& value : in) {
    value = static_cast<std::byte>(random());
  }
  for (int round = 0; round < 500; ++round) {
    const int64_t item = 1 + random() % 17;
    const int rank = static_cast<int>(random() % 5);
    std::vector<StridedAxis> axes;
    int64_t dense = item;
    for (int axis = 0; axis < rank; ++axis) {
      const int64_t extent = random() % 7;
      const int64_t stride = random() % 2 == 0 ? dense : static_cast<int64_t>(random() % 200) - 100;
      axes.insert(axes.begin(), {extent, stride, dense});
      dense *= std::max<int64_t>(1, extent);
    }
    std::vector<std::byte> expected(static_cast<size_t>(dense));
    std::vector<std::byte> found(static_cast<size_t>(dense));
    copy_plainly(axes, item, in.data() + kHalf, expected.data());
    const size_t counted = copy_strided(axes, item, in.data() + kHalf, found.data());
    ASSERT_EQ(found, expected) << round;
    ASSERT_LE(counted, found.size());
  }
}

TEST(StridedCopy, SaysWhatWasCounted) {
  std::vector<std::byte> in(4096);
  std::vector<std::byte> out(4096);
  const StridedAxis rows[] = {{8, 200, 100}, {100, 1, 1}};
  const uint64_t before = memory::bytes_copied();
  EXPECT_EQ(copy_strided(rows, 1, in.data(), out.data()), 800);
  EXPECT_EQ(memory::bytes_copied(), before + 800);
  const StridedAxis scattered[] = {{100, 8, 4}};
  EXPECT_EQ(copy_strided(scattered, 4, in.data(), out.data()), 0);
  EXPECT_EQ(copy_strided({}, 9, in.data(), out.data()), 0) << "one item";
  EXPECT_EQ(memory::bytes_copied(), before + 800);
}

}  // namespace
}  // namespace forebay::tensor
