#include "forebay/tensor/tensor.h"

#include <gtest/gtest.h>

#include <vector>

#include "forebay/memory/copy.h"

namespace forebay::tensor {
namespace {

TEST(Shape, VolumeAndWords) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape.volume(), 24);
  EXPECT_EQ(shape.volume(1, 3), 12);
  EXPECT_EQ(shape.back(), 4);
  EXPECT_EQ(shape.to_string(), "2x3x4");
  EXPECT_EQ(Shape().volume(), 1);
  EXPECT_EQ(Shape().to_string(), "scalar");
  EXPECT_NE(shape, (Shape{2, 3}));
}

TEST(Shape, CheckedVolumeRefusesWhatCannotBe) {
  EXPECT_EQ((Shape{0, int64_t{1} << 62}).checked_volume(), 0);
  EXPECT_EQ((Shape{int64_t{1} << 31, int64_t{1} << 31}).checked_volume(), int64_t{1} << 62);
  EXPECT_FALSE((Shape{int64_t{1} << 32, int64_t{1} << 31}).checked_volume().has_value());
  EXPECT_FALSE((Shape{3, -1}).checked_volume().has_value());
}

TEST(Layout, FindsAxes) {
  const Layout layout("FHWC");
  EXPECT_EQ(layout.find('W'), 2);
  EXPECT_EQ(layout.find('D'), -1);
  EXPECT_TRUE(Layout().empty());
  EXPECT_EQ(layout, Layout("FHWC"));
}

TEST(Tensor, CopiesAreCountedAndSharesAreNot) {
  const std::vector<int32_t> values = {1, 2, 3, 4, 5, 6};
  const uint64_t before = memory::bytes_copied();
  const Tensor tensor = *Tensor::copy_of<int32_t>(values, {2, 3}, "HW");
  EXPECT_EQ(memory::bytes_copied() - before, 24u);
  const Tensor shared = tensor;
  EXPECT_EQ(memory::bytes_copied() - before, 24u);
  EXPECT_EQ(shared.data(), tensor.data());
  EXPECT_EQ(tensor.spec().to_string(), "int32 2x3 HW");
  EXPECT_EQ(tensor.view().span<int32_t>()[5], 6);
}

TEST(Tensor, ReinterpretsBytesOfEqualNumber) {
  const Tensor tensor = *Tensor::copy_of<int32_t>(std::vector<int32_t>{1, 2}, {2});
  const auto bytes = tensor.reinterpreted({{8}, DType::kUint8, {}});
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(bytes->data(), tensor.data());
  EXPECT_EQ(tensor.reinterpreted({{9}, DType::kUint8, {}}).status().code(), StatusCode::kInvalidArgument);
}

TEST(Tensor, WrongNumberOfBytesIsRefused) {
  const std::vector<float> values = {1};
  EXPECT_EQ(Tensor::copy_of<float>(values, {2}).status().code(), StatusCode::kInvalidArgument);
}

TEST(Tensor, ScalarsAndEmptyTensors) {
  EXPECT_EQ(Tensor::scalar<float>(2.5f)->view().as<float>()[0], 2.5f);
  EXPECT_EQ(Tensor::allocate({{0, 4}, DType::kFloat, {}})->size_bytes(), 0u);
}

TEST(TensorDeathTest, ATensorLiesWithinItsBuffer) {
  const Tensor tensor = *Tensor::allocate({{4}, DType::kFloat, {}});
  EXPECT_DEATH(Tensor(tensor.buffer(), 8, tensor.spec()), "invariant");
}

}  // namespace
}  // namespace forebay::tensor
