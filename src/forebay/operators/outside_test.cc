// What lies outside of an input: fill values become elements alike in all operators, and borders have one
// table of names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "forebay/operators/border_names.h"
#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators::testing {
namespace {

using kernels::Border;
using ::testing::Each;
using ::testing::HasSubstr;
using Constants = std::map<std::string, Value>;
using Numbers = std::vector<double>;

struct Outside {
  std::string op;
  std::string argument;
  Constants constants;  // that make the last pixel lie outside
};

const std::vector<Outside>& outsides() {
  static const Numbers kMoved{1, 0, 50, 0, 1, 50};
  static const Constants kCrop{{"crop", Numbers{8, 8}}, {"out_of_bounds_policy", std::string("pad")}};
  static const auto* const kAll = new std::vector<Outside>{
      {"crop", "fill_values", kCrop},
      {"slice",
       "fill_values",
       {{"start", Numbers{2, 2}},
        {"shape", Numbers{4, 4}},
        {"axes", Numbers{0, 1}},
        {"normalized_anchor", false},
        {"normalized_shape", false},
        {"out_of_bounds_policy", std::string("pad")}}},
      {"crop_mirror_normalize",
       "fill_values",
       {{"crop", Numbers{8, 8}}, {"out_of_bounds_policy", std::string("pad")}, {"dtype", int64_t{0}}}},
      {"pad", "fill_value", {{"shape", Numbers{8, 8}}, {"axes", Numbers{0, 1}}}},
      {"erase", "fill_value", {{"anchor", Numbers{3, 3}}, {"shape", Numbers{9, 9}}}},
      {"rotate", "fill_value", {{"angle", 45.0}}},
      {"warp_affine", "fill_value", {{"matrix", kMoved}}},
      {"experimental.warp_perspective", "fill_value", {{"matrix", Numbers{1, 0, 50, 0, 1, 50, 0, 0, 1}}}},
      {"water", "fill_value", {{"ampl_x", 500.0}, {"ampl_y", 500.0}, {"phase_x", 1.0}, {"phase_y", 1.0}}},
  };
  return *kAll;
}

/// The last pixel with the fill value `value`.
std::vector<uint8_t> last_pixel(const Outside& outside, const Value& value) {
  Constants constants = outside.constants;
  constants[outside.argument] = value;
  const auto out = run_operator(outside.op, {counted<uint8_t>({4, 4, 3}, "HWC")}, {.constants = constants});
  EXPECT_TRUE(out.ok()) << outside.op << ": " << out.status();
  const std::vector<uint8_t> all = out.ok() ? values_of<uint8_t>((*out)[0]) : std::vector<uint8_t>(3);
  return {all.end() - 3, all.end()};
}

TEST(Fill, BecomesTheSameElementInAllOperators) {
  for (const Outside& outside : outsides()) {
    const std::vector<std::pair<double, int>> expected = {{14.5, 15},  {15.5, 16}, {14.83, 15},
                                                          {14.25, 14}, {-3.0, 0},  {300.0, 255}};
    for (const auto& [value, element] : expected) {
      EXPECT_THAT(last_pixel(outside, value), Each(element)) << outside.op << " " << value;
    }
  }
}

TEST(Fill, IsOneValueOrOneAChannel) {
  for (const Outside& outside : outsides()) {
    if (outside.op == "crop" || outside.op == "slice" || outside.op == "erase") {
      EXPECT_EQ(last_pixel(outside, Numbers{1.5, 300, 7}), (std::vector<uint8_t>{2, 255, 7})) << outside.op;
      EXPECT_THAT(last_pixel(outside, Numbers{}), Each(0)) << outside.op;
      Constants constants = outside.constants;
      constants[outside.argument] = Numbers{1, 2};
      const auto out =
          run_operator(outside.op, {counted<uint8_t>({4, 4, 3}, "HWC")}, {.constants = constants});
      EXPECT_THAT(std::string(message(out.status())), HasSubstr(outside.argument + " has 2 values for"));
    }
  }
}

TEST(Fill, OfManyChannelsIsOneAChannel) {
  Numbers fills;
  for (int channel = 0; channel < 9; ++channel) {
    fills.push_back(10 * channel);
  }
  for (const char* op : {"crop", "erase"}) {
    const auto outside = std::ranges::find(outsides(), op, &Outside::op);
    Constants constants = outside->constants;
    constants[outside->argument] = fills;
    const auto out = run_operator(op, {counted<float>({4, 4, 9}, "HWC")}, {.constants = constants});
    ASSERT_TRUE(out.ok()) << out.status();
    const std::vector<float> all = values_of<float>((*out)[0]);
    EXPECT_EQ(std::vector<float>(all.end() - 9, all.end()), std::vector<float>(fills.begin(), fills.end()))
        << op;
  }
}

TEST(Fill, OfCropMirrorNormalizeHasAValueForEachChannel) {
  for (const bool pad_output : {false, true}) {
    Constants constants = {
        {"crop", Numbers{8, 8}}, {"out_of_bounds_policy", std::string("pad")}, {"pad_output", pad_output}};
    for (const auto& [count, fits] :
         {std::pair{1, true}, {2, false}, {3, true}, {4, pad_output}, {5, false}}) {
      constants["fill_values"] = Numbers(static_cast<size_t>(count), 3.0);
      const auto out = run_operator("crop_mirror_normalize", {counted<uint8_t>({4, 4, 3}, "HWC")},
                                    {.constants = constants});
      EXPECT_EQ(out.ok(), fits) << count << ": " << out.status();
    }
  }
}

TEST(BorderNames, OneNameOneBorder) {
  for (const char* name : {"clamp", "edge", "replicate"}) {
    EXPECT_EQ(border_named(name), Border::kClamp) << name;
  }
  EXPECT_EQ(border_named("reflect"), border_named("reflect_1001"));
  EXPECT_EQ(border_named("reflect_101"), Border::kReflect101);
  EXPECT_EQ(border_named("pad"), border_named("constant"));
  EXPECT_EQ(border_named("trim_to_shape"), std::nullopt);
  EXPECT_EQ(border_of("error"), Border::kConstant);
}

}  // namespace
}  // namespace forebay::operators::testing
