// clahe and debayer: layouts, frames, and what is refused. tests/parity compares their values with DALI's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators::testing {
namespace {

using ::testing::HasSubstr;

std::string mosaic_error(const char* name, const Tensor& in, std::map<std::string, Value> constants) {
  return std::string(message(run_operator(name, {in}, {.constants = std::move(constants)}).status()));
}

TEST(Debayer, TakesAPositionForEachFrame) {
  // Frame 0 has red at its corners, frame 1 blue: the same scene.
  const auto mosaic = [](uint8_t corner, uint8_t opposite) {
    std::vector<uint8_t> values;
    for (int i = 0; i < 36; ++i) {
      const bool is_odd_row = i / 6 % 2 == 1;
      const bool is_odd_column = i % 2 == 1;
      values.push_back(is_odd_row != is_odd_column ? 50 : is_odd_row ? opposite : corner);
    }
    return values;
  };
  std::vector<uint8_t> both = mosaic(200, 10);
  std::ranges::copy(mosaic(10, 200), std::back_inserter(both));
  const auto out =
      run_operator("debayer", {tensor_of<uint8_t>(both, {2, 6, 6}, "FHW")},
                   {.tensors = {{"blue_position", tensor_of<int32_t>({0, 0, 1, 1}, {2, 2}, "FX")}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].layout(), Layout("FHWC"));
  const std::vector<uint8_t> colors = values_of<uint8_t>((*out)[0]);
  for (size_t i = 0; i < colors.size(); i += 3) {
    EXPECT_EQ(colors[i], 200) << i;
    EXPECT_EQ(colors[i + 1], 50) << i;
    EXPECT_EQ(colors[i + 2], 10) << i;
  }
}

TEST(Debayer, NamesWhatIsWrong) {
  const std::vector<int64_t> corner{0, 0};
  const Tensor mosaic = test_image({6, 6}, "HW");
  EXPECT_THAT(mosaic_error("debayer", mosaic, {{"blue_position", std::vector<int64_t>{0, 2}}}),
              HasSubstr("each is 0 or 1"));
  EXPECT_THAT(mosaic_error("debayer", mosaic, {{"blue_position", int64_t{0}}}), HasSubstr("two numbers"));
  EXPECT_THAT(mosaic_error("debayer", test_image({6, 6, 3}), {{"blue_position", corner}}),
              HasSubstr("one channel"));
  EXPECT_THAT(mosaic_error("debayer", counted<float>({6, 6}, "HW"), {{"blue_position", corner}}),
              HasSubstr("cannot become"));
  EXPECT_THAT(
      mosaic_error("debayer", mosaic, {{"blue_position", corner}, {"algorithm", std::string("other")}}),
      HasSubstr("algorithm"));
}

TEST(Clahe, NamesWhatIsWrong) {
  const auto error = [](const Tensor& in, int64_t tiles) {
    return mosaic_error("clahe", in, {{"tiles_x", tiles}, {"tiles_y", tiles}, {"clip_limit", 2.0}});
  };
  EXPECT_THAT(error(test_image({6, 6, 3}), 0), HasSubstr("0 x 0 tiles"));
  EXPECT_THAT(error(test_image({6, 6, 2}), 2), HasSubstr("one or three channels"));
  EXPECT_THAT(error(counted<float>({6, 6, 1}, "HWC"), 2), HasSubstr("UINT8"));
}

}  // namespace
}  // namespace forebay::operators::testing
