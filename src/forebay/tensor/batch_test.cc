#include "forebay/tensor/batch.h"

#include <gtest/gtest.h>

#include <vector>

#include "forebay/memory/copy.h"

namespace forebay::tensor {
namespace {

// Makes `count` samples of `spec`, back to back in one buffer.
std::vector<Tensor> slots(int count, const TensorSpec& spec) {
  const auto buffer = *memory::Buffer::allocate(spec.size_bytes() * count);
  std::vector<Tensor> samples;
  for (int i = 0; i < count; ++i) {
    samples.emplace_back(buffer, i * spec.size_bytes(), spec);
  }
  return samples;
}

TEST(Batch, SlotsAreOneTensorWithoutACopy) {
  const Batch batch(slots(3, {{2, 2}, DType::kFloat, "HW"}));
  const uint64_t before = memory::bytes_copied();
  const auto whole = batch.as_tensor();
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->data(), batch[0].data());
  EXPECT_EQ(whole->spec().to_string(), "float 3x2x2 NHW");
  EXPECT_EQ(batch.stacked()->data(), batch[0].data());
  EXPECT_EQ(memory::bytes_copied(), before);
}

TEST(Batch, ScatteredSamplesAreStackedByACountedCopy) {
  std::vector<Tensor> samples = slots(3, {{2}, DType::kInt32, {}});
  for (int i = 0; i < 3; ++i) {
    static_cast<int32_t*>(samples[i].mutable_data())[0] = i;
    static_cast<int32_t*>(samples[i].mutable_data())[1] = 10 * i;
  }
  const Batch batch({samples[2], samples[0]});
  EXPECT_FALSE(batch.as_tensor().has_value());
  const uint64_t before = memory::bytes_copied();
  const Tensor whole = *batch.stacked();
  EXPECT_EQ(memory::bytes_copied() - before, 16u);
  const auto values = whole.view().span<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(values.begin(), values.end()), (std::vector<int32_t>{2, 20, 0, 0}));
}

TEST(Batch, SamplesThatDifferCannotBeStacked) {
  const Batch shapes({slots(1, {{2}, DType::kInt32, {}})[0], slots(1, {{3}, DType::kInt32, {}})[0]});
  EXPECT_FALSE(shapes.has_uniform_shape());
  EXPECT_EQ(shapes.stacked().status().code(), StatusCode::kInvalidArgument);
  const Batch types({slots(1, {{2}, DType::kInt32, {}})[0], slots(1, {{2}, DType::kFloat, {}})[0]});
  EXPECT_FALSE(types.has_uniform_shape());
  EXPECT_EQ(Batch().stacked().status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace forebay::tensor
