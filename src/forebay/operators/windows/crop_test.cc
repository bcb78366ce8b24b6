#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators {
namespace {

using testing::counted;
using ::testing::ElementsAre;
using testing::Given;
using ::testing::HasSubstr;
using testing::run_operator;
using testing::values_of;

using Floats = std::vector<double>;
using Ints = std::vector<int64_t>;

/// The window computed by definition, element by element.
std::vector<uint8_t> slow_window(const Tensor& in, int64_t y0, int64_t x0, int64_t height, int64_t width,
                                 std::vector<uint8_t> fill = {0, 0, 0}) {
  const auto* from = in.view().as<uint8_t>();
  const int64_t channels = in.shape()[2];
  std::vector<uint8_t> values;
  for (int64_t y = y0; y < y0 + height; ++y) {
    for (int64_t x = x0; x < x0 + width; ++x) {
      for (int64_t c = 0; c < channels; ++c) {
        const bool is_inside = y >= 0 && y < in.shape()[0] && x >= 0 && x < in.shape()[1];
        values.push_back(is_inside ? from[(y * in.shape()[1] + x) * channels + c] : fill[c]);
      }
    }
  }
  return values;
}

TEST(Crop, TakesTheMiddleByDefault) {
  const Tensor in = counted<uint8_t>({10, 12, 3}, "HWC");
  const auto out = run_operator("crop", {in}, {.constants = {{"crop", Floats{4, 5}}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].spec(), (TensorSpec{{4, 5, 3}, DType::kUint8, "HWC"}));
  EXPECT_EQ(values_of<uint8_t>((*out)[0]), slow_window(in, 3, 4, 4, 5));  // 0.5 * 7 = 3.5 rounds to 4
}

TEST(Crop, TruncatesWhereAsked) {
  const Tensor in = counted<uint8_t>({10, 12, 3}, "HWC");
  const auto out = run_operator(
      "crop", {in}, {.constants = {{"crop", Floats{4.7, 5}}, {"crop_pos_y", 0.0}, {"rounding", "truncate"}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(values_of<uint8_t>((*out)[0]), slow_window(in, 0, 3, 4, 5));
}

TEST(Crop, TakesArgumentsOfTheSample) {
  const Tensor in = counted<uint8_t>({10, 12, 3}, "HWC");
  const Given given{.tensors = {{"crop_h", *Tensor::scalar<float>(2)},
                                {"crop_w", *Tensor::scalar<int32_t>(3)},
                                {"crop_pos_x", *Tensor::scalar<float>(1)},
                                {"crop_pos_y", *Tensor::scalar<float>(0)}}};
  const auto out = run_operator("crop", {in}, given);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(values_of<uint8_t>((*out)[0]), slow_window(in, 0, 9, 2, 3));
}

TEST(Crop, WithoutASizeForwardsTheInput) {
  const Tensor in = counted<uint8_t>({10, 12, 3}, "HWC");
  const auto out = run_operator("crop", {in});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].data(), in.data());
}

TEST(Crop, PadsOutside) {
  const Tensor in = counted<uint8_t>({4, 4, 3}, "HWC");
  const auto out = run_operator(
      "crop", {in},
      {.constants = {
           {"crop", Floats{6, 2}}, {"out_of_bounds_policy", "pad"}, {"fill_values", Ints{1, 2, 3}}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(values_of<uint8_t>((*out)[0]), slow_window(in, -1, 1, 6, 2, {1, 2, 3}));
}

TEST(Crop, TrimsToTheInput) {
  const Tensor in = counted<uint8_t>({4, 4, 3}, "HWC");
  const auto out = run_operator(
      "crop", {in}, {.constants = {{"crop", Floats{6, 2}}, {"out_of_bounds_policy", "trim_to_shape"}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(values_of<uint8_t>((*out)[0]), slow_window(in, 0, 1, 4, 2));
}

TEST(Crop, CutsVolumesAndSequences) {
  const Tensor in = counted<uint8_t>({4, 6, 8, 2}, "DHWC");
  const auto out =
      run_operator("crop", {in}, {.constants = {{"crop", Floats{2, 4, 5}}, {"dtype", int64_t{9}}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].spec(), (TensorSpec{{2, 4, 5, 2}, DType::kFloat, "DHWC"}));
  EXPECT_EQ((*out)[0].view().as<float>()[0], 1 * 96 + 1 * 16 + 2 * 2);
  const Tensor frames = counted<uint8_t>({4, 6, 8, 2}, "FHWC");
  const auto all_frames = run_operator("crop", {frames}, {.constants = {{"crop", Floats{4, 5}}}});
  ASSERT_TRUE(all_frames.ok()) << all_frames.status();
  EXPECT_EQ((*all_frames)[0].shape(), (Shape{4, 4, 5, 2}));
}

TEST(Crop, SaysWhatIsWrong) {
  const Tensor in = counted<uint8_t>({4, 4, 3}, "HWC");
  const auto message_of = [&](const Given& given) {
    return std::string(message(run_operator("crop", {in}, given).status()));
  };
  EXPECT_THAT(message_of({.constants = {{"crop", Floats{6, 2}}}}), HasSubstr("out_of_bounds_policy"));
  EXPECT_THAT(message_of({.constants = {{"crop", Floats{6}}}}), HasSubstr("1 entries"));
  EXPECT_THAT(message_of({.constants = {{"crop_w", 2.0}}}), HasSubstr("together"));
  EXPECT_THAT(message_of({.constants = {{"crop", Floats{1, 1}}, {"crop_pos_x", 1.5}}}), HasSubstr("[0, 1]"));
  EXPECT_THAT(message_of({.constants = {{"crop", Floats{1, 1e20}}}}), HasSubstr("extent"));
  const Tensor wrong = counted<uint8_t>({4, 4}, "AB");
  EXPECT_THAT(
      std::string(message(run_operator("crop", {wrong}, {.constants = {{"crop", Floats{1, 1}}}}).status())),
      HasSubstr("layout 'AB'"));
}

TEST(Crop, PadsAnEmptyInput) {
  const Tensor in = counted<uint8_t>({0, 4, 3}, "HWC");
  const auto out =
      run_operator("crop", {in}, {.constants = {{"crop", Floats{1, 1}}, {"out_of_bounds_policy", "pad"}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values_of<uint8_t>((*out)[0]), ElementsAre(0, 0, 0));
}

}  // namespace
}  // namespace forebay::operators
