#include "forebay/operators/resampling/crop_mirror_normalize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators {
namespace {

using testing::Given;
using ::testing::HasSubstr;
using testing::run_operator;
using testing::same_bytes;
using testing::tensor_of;
using testing::test_image;
using testing::values_of;

using Floats = std::vector<double>;
using Constants = std::map<std::string, Value>;

/// HWC uint8 to CHW float, computed by definition in double.
std::vector<double> slow_normalize(const Tensor& in, int64_t y0, int64_t x0, int64_t height, int64_t width,
                                   bool mirror, const std::vector<double>& mean,
                                   const std::vector<double>& deviation) {
  const auto* from = in.view().as<uint8_t>();
  const int64_t channels = in.shape()[2];
  std::vector<double> values;
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t y = y0; y < y0 + height; ++y) {
      for (int64_t x = 0; x < width; ++x) {
        const int64_t column = x0 + (mirror ? width - 1 - x : x);
        values.push_back((from[(y * in.shape()[1] + column) * channels + c] - mean[c]) / deviation[c]);
      }
    }
  }
  return values;
}

TEST(CropMirrorNormalize, DoesAllAtOnce) {
  const Tensor in = test_image({10, 12, 3});
  const auto out = run_operator("crop_mirror_normalize", {in},
                                {.constants = {{"crop", Floats{4, 5}},
                                               {"mean", Floats{120, 110, 100}},
                                               {"std", Floats{60, 50, 40}},
                                               {"mirror", int64_t{1}}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].spec(), (TensorSpec{{3, 4, 5}, DType::kFloat, "CHW"}));
  const auto expected = slow_normalize(in, 3, 4, 4, 5, true, {120, 110, 100}, {60, 50, 40});
  const auto* values = (*out)[0].view().as<float>();
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(values[i], expected[i], 1e-6) << i;
  }
}

TEST(CropMirrorNormalize, TakesArgumentsOfTheSample) {
  const Tensor in = test_image({10, 12, 3});
  const auto tensors = run_operator(
      "crop_mirror_normalize", {in},
      {.constants = {{"std", 2.0}},
       .tensors = {{"mean", tensor_of<float>({1, 2, 3}, {3})}, {"mirror", *Tensor::scalar<int32_t>(1)}}});
  const auto constants =
      run_operator("crop_mirror_normalize", {in},
                   {.constants = {{"std", 2.0}, {"mean", Floats{1, 2, 3}}, {"mirror", int64_t{1}}}});
  ASSERT_TRUE(tensors.ok() && constants.ok());
  EXPECT_TRUE(same_bytes((*tensors)[0], (*constants)[0]));
}

TEST(CropMirrorNormalize, PadsChannelsAndPlaces) {
  const Tensor in = test_image({4, 4, 3});
  const auto out = run_operator("crop_mirror_normalize", {in},
                                {.constants = {{"pad_output", true},
                                               {"fill_values", 7.0},
                                               {"crop", Floats{6, 4}},
                                               {"mean", 100.0},
                                               {"out_of_bounds_policy", "pad"}}});
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_EQ((*out)[0].shape(), (Shape{4, 6, 4}));
  const auto* values = (*out)[0].view().as<float>();
  EXPECT_EQ(values[0], 7);
  EXPECT_EQ(values[3 * 24 + 9], 7);
  EXPECT_EQ(values[4], in.view().as<uint8_t>()[0] - 100.0F);
}

TEST(CropMirrorNormalize, MovesTheAxesOfVolumesAndSequences) {
  const Tensor volume = test_image({2, 3, 4, 2}, "DHWC");
  const auto out =
      run_operator("crop_mirror_normalize", {volume}, {.constants = {{"output_layout", "CDHW"}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].spec(), (TensorSpec{{2, 2, 3, 4}, DType::kFloat, "CDHW"}));
  const Tensor frames = test_image({2, 3, 4, 2}, "FHWC");
  for (const char* layout : {"FCHW", "CFHW", "FHWC"}) {
    const auto moved =
        run_operator("crop_mirror_normalize", {frames}, {.constants = {{"output_layout", layout}}});
    ASSERT_TRUE(moved.ok()) << moved.status();
    EXPECT_EQ((*moved)[0].layout(), Layout(layout));
    const auto at = [&](int f, int y, int x, int c) {
      const int64_t index = std::string(layout) == "FCHW"   ? ((f * 2 + c) * 3 + y) * 4 + x
                            : std::string(layout) == "CFHW" ? ((c * 2 + f) * 3 + y) * 4 + x
                                                            : ((f * 3 + y) * 4 + x) * 2 + c;
      return (*moved)[0].view().as<float>()[index];
    };
    EXPECT_EQ(at(1, 2, 3, 1), frames.view().as<uint8_t>()[((1 * 3 + 2) * 4 + 3) * 2 + 1]);
    EXPECT_EQ(at(0, 1, 2, 1), frames.view().as<uint8_t>()[((0 * 3 + 1) * 4 + 2) * 2 + 1]);
  }
}

TEST(CropMirrorNormalize, SaysWhatIsWrong) {
  const auto message_of = [](Constants constants, Layout layout = "HWC") {
    const Shape shape = layout.size() == 4 ? Shape{2, 4, 4, 3} : Shape{4, 4, 3};
    return std::string(message(run_operator("crop_mirror_normalize", {test_image(shape, layout)},
                                            {.constants = std::move(constants)})
                                   .status()));
  };
  EXPECT_THAT(message_of({}, "DHWC"), HasSubstr("not an order of the input's axes"));
  EXPECT_THAT(message_of({{"output_layout", "CHX"}}), HasSubstr("not an order of the input's axes"));
  EXPECT_THAT(message_of({{"mean", Floats{1, 2}}}), HasSubstr("2"));
  EXPECT_THAT(message_of({{"dtype", int64_t{1}}}), HasSubstr("dtype must be"));
  EXPECT_THAT(message_of({{"crop", Floats{40, 4}}}), HasSubstr("out_of_bounds_policy"));
}

}  // namespace
}  // namespace forebay::operators
