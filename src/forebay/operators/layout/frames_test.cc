// Frames, and arguments that change from frame to frame.
#include "forebay/operators/layout/frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FrameValues, AreBorrowedOrConverted) {
  const Tensor floats = tensor_of<float>({1, 2, 3, 4}, {2, 2}, "FX");
  const FrameFloats borrowed = *FrameFloats::of_tensor(floats);
  EXPECT_EQ(borrowed.at(1).data(), floats.view().span<float>().data() + 2);
  const FrameFloats converted = *FrameFloats::of_tensor(tensor_of<int32_t>({1, 2, 3, 4, 5, 6}, {2, 3}, "FX"));
  EXPECT_THAT(converted.at(1), ElementsAre(4, 5, 6));
  const FrameIntegers few = *FrameIntegers::of_tensor(tensor_of<uint8_t>({7, 8}, {2}));
  EXPECT_FALSE(few.is_per_frame());
  const FrameIntegers moved = few;
  EXPECT_THAT(moved.at(5), ElementsAre(7, 8));
}

std::vector<uint8_t> frames_by_gains(const Tensor& in, const Tensor& gains) {
  const auto out = run_operator("brightness", {in}, {.tensors = {{"brightness", gains}}});
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? values_of<uint8_t>((*out)[0]) : std::vector<uint8_t>();
}

TEST(ForEachFrame, TakesItsOwnNumbers) {
  const Tensor in = tensor_of<uint8_t>({10, 20, 30, 40}, {2, 1, 2, 1}, "FHWC");
  EXPECT_THAT(frames_by_gains(in, tensor_of<float>({2, 3}, {2}, "F")), ElementsAre(20, 40, 90, 120));
  EXPECT_THAT(frames_by_gains(in, tensor_of<float>({2}, {1}, "F")), ElementsAre(20, 40, 60, 80));
  EXPECT_THAT(frames_by_gains(in, scalar_of(0.5f)), ElementsAre(5, 10, 15, 20));
}

TEST(ForEachFrame, ASequenceWithoutFramesStaysOne) {
  const auto out = run_operator("brightness", {tensor_of<uint8_t>({}, {0, 2, 2, 3}, "FHWC")},
                                {.tensors = {{"brightness", tensor_of<float>({}, {0}, "F")}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].shape(), (Shape{0, 2, 2, 3}));
}

TEST(ForEachFrame, NamesWhatDoesNotFit) {
  const auto error = [](const Tensor& in, const Tensor& gains) {
    return std::string(
        message(run_operator("brightness", {in}, {.tensors = {{"brightness", gains}}}).status()));
  };
  const Tensor frames = counted<uint8_t>({2, 1, 2, 3}, "FHWC");
  EXPECT_THAT(error(frames, tensor_of<float>({1, 2, 3}, {3}, "F")),
              HasSubstr("3 frames, and the input has 2"));
  EXPECT_THAT(error(counted<uint8_t>({1, 2, 3}, "HWC"), tensor_of<float>({1, 2}, {2}, "F")),
              HasSubstr("has no frames"));
  EXPECT_THAT(error(frames, tensor_of<float>({1, 2}, {2})), HasSubstr("one number"));
}

TEST(ForEachFrame, TurnsEachFrameByItsAngleOnOneCanvas) {
  const Tensor in = tensor_of<uint8_t>({1, 2, 3, 1, 2, 3}, {2, 1, 3, 1}, "FHWC");
  const auto out = run_operator(
      "rotate", {in},
      {.constants = {{"fill_value", 0.0}}, .tensors = {{"angle", tensor_of<float>({0, 180}, {2}, "F")}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].shape(), (Shape{2, 1, 3, 1}));
  EXPECT_THAT(values_of<uint8_t>((*out)[0]), ElementsAre(1, 2, 3, 3, 2, 1));
}

}  // namespace
}  // namespace forebay::operators::testing
