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
using testing::tensor_of;
using testing::values_of;

using Floats = std::vector<double>;
using Ints = std::vector<int64_t>;

TensorSpec spec_of(const Result<std::vector<Tensor>>& out) {
  return out.ok() ? (*out)[0].spec() : TensorSpec{};
}

uint8_t first_of(const Result<std::vector<Tensor>>& out) {
  return (*out)[0].view().as<uint8_t>()[0];
}

const Tensor& sliced_image() {
  static const Tensor tensor = counted<uint8_t>({10, 12, 3}, "HWC");
  return tensor;
}

TEST(Slice, CountsAxesAsWidthAndHeight) {
  const auto out =
      run_operator("slice", {sliced_image()}, {.constants = {{"start", Ints{2, 3}}, {"shape", Ints{4, 5}}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(spec_of(out), (TensorSpec{{5, 4, 3}, DType::kUint8, "HWC"}));
  EXPECT_EQ(first_of(out), 3 * 36 + 2 * 3);
}

TEST(Slice, TakesAxesByNumberAndName) {
  const auto rows = run_operator("slice", {sliced_image()},
                                 {.constants = {{"start", Ints{2}}, {"end", Ints{5}}, {"axes", Ints{0}}}});
  EXPECT_EQ(spec_of(rows).shape, (Shape{3, 12, 3}));
  const auto channel =
      run_operator("slice", {sliced_image()},
                   {.constants = {{"start", Ints{2}}, {"shape", Ints{1}}, {"axis_names", "C"}}});
  EXPECT_EQ(spec_of(channel).shape, (Shape{10, 12, 1}));
  const auto last = run_operator("slice", {sliced_image()},
                                 {.constants = {{"start", Ints{1}}, {"shape", Ints{1}}, {"axes", Ints{-1}}}});
  EXPECT_EQ(first_of(last), 1);
  const auto all = run_operator("slice", {sliced_image()},
                                {.constants = {{"start", 2LL}, {"shape", 1LL}, {"axes", Ints{}}}});
  EXPECT_EQ(spec_of(all).shape, (Shape{1, 1, 1}));
}

TEST(Slice, RoundsRelativeCoordinates) {
  const auto out =
      run_operator("slice", {sliced_image()},
                   {.constants = {{"rel_start", Floats{0.2, 0.3}}, {"rel_end", Floats{0.5, 0.75}}}});
  EXPECT_EQ(spec_of(out).shape, (Shape{5, 4, 3}));  // rows 3 to 7.5 -> 8, columns 2.4 -> 2 to 6
  EXPECT_EQ(first_of(out), 3 * 36 + 2 * 3);
  const auto mixed = run_operator("slice", {sliced_image()},
                                  {.constants = {{"rel_start", Floats{0.2, 0.3}}, {"shape", Ints{5, 6}}}});
  EXPECT_EQ(spec_of(mixed).shape, (Shape{6, 5, 3}));
  const auto open = run_operator("slice", {sliced_image()}, {.constants = {{"start", Ints{2, 3}}}});
  EXPECT_EQ(spec_of(open).shape, (Shape{7, 10, 3}));
}

TEST(Slice, TakesAnchorAndShapeAsInputs) {
  const Tensor anchor = tensor_of<float>({0.25F, 0.5F}, {2});
  const Tensor size = tensor_of<float>({0.5F, 0.25F}, {2});
  const auto out = run_operator("slice", {sliced_image(), anchor, size});
  EXPECT_EQ(spec_of(out).shape, (Shape{3, 6, 3}));  // rows 5 to 7.5 -> 8
  EXPECT_EQ(first_of(out), static_cast<uint8_t>(5 * 36 + 3 * 3));
  const auto whole = run_operator(
      "slice", {sliced_image(), tensor_of<int32_t>({3, 2}, {2}), tensor_of<int32_t>({5, 2}, {2})});
  EXPECT_EQ(spec_of(whole).shape, (Shape{2, 5, 3}));
  const auto pixels = run_operator("slice", {sliced_image(), tensor_of<float>({3.5F, 2.5F}, {2}), size},
                                   {.constants = {{"normalized_anchor", false}}});
  EXPECT_EQ(spec_of(pixels).shape, (Shape{2, 6, 3}));
}

TEST(Slice, GoesOnBeyondTheEdges) {
  const Tensor row = counted<uint8_t>({4});
  const auto window = [&](const char* policy) {
    const auto out = run_operator("slice", {row},
                                  {.constants = {{"start", Ints{-3}},
                                                 {"shape", Ints{9}},
                                                 {"axes", Ints{0}},
                                                 {"out_of_bounds_policy", std::string(policy)}}});
    return out.ok() ? values_of<uint8_t>((*out)[0]) : std::vector<uint8_t>{};
  };
  EXPECT_THAT(window("edge"), ElementsAre(0, 0, 0, 0, 1, 2, 3, 3, 3));
  EXPECT_THAT(window("reflect_1001"), ElementsAre(2, 1, 0, 0, 1, 2, 3, 3, 2));
  EXPECT_THAT(window("reflect_101"), ElementsAre(3, 2, 1, 0, 1, 2, 3, 2, 1));
  EXPECT_THAT(window("wrap"), ElementsAre(1, 2, 3, 0, 1, 2, 3, 0, 1));
  EXPECT_THAT(window("pad"), ElementsAre(0, 0, 0, 0, 1, 2, 3, 0, 0));
  EXPECT_THAT(window("trim_to_shape"), ElementsAre(0, 1, 2, 3));
}

TEST(Slice, GivesEmptyWindows) {
  const auto out =
      run_operator("slice", {sliced_image()}, {.constants = {{"start", Ints{2, 3}}, {"shape", Ints{0, 5}}}});
  EXPECT_EQ(spec_of(out).shape, (Shape{5, 0, 3}));
}

TEST(Slice, SaysWhatIsWrong) {
  const auto message_of = [&](std::map<std::string, Value> constants) {
    return std::string(
        message(run_operator("slice", {sliced_image()}, {.constants = std::move(constants)}).status()));
  };
  EXPECT_THAT(message_of({{"start", Ints{2, 3}}, {"shape", Ints{40, 5}}}), HasSubstr("out_of_bounds_policy"));
  EXPECT_THAT(message_of({{"start", Ints{5, 3}}, {"end", Ints{2, 5}}}), HasSubstr("end before"));
  EXPECT_THAT(message_of({{"start", Ints{5, 3}}, {"shape", Ints{-1, 5}}}), HasSubstr("negative"));
  EXPECT_THAT(message_of({{"start", Ints{1, 2, 3}}}), HasSubstr("3 entries for 2 axes"));
  EXPECT_THAT(message_of({{"start", Ints{1}}, {"axes", Ints{7}}}), HasSubstr("axis 7"));
  EXPECT_THAT(message_of({{"start", Ints{1, 1}}, {"axes", Ints{0, 0}}}), HasSubstr("twice"));
  EXPECT_THAT(message_of({{"start", Ints{1, 1}}, {"rel_start", Floats{0, 0}}}), HasSubstr("together"));
  EXPECT_THAT(message_of({{"end", Ints{1, 1}}, {"shape", Ints{0, 0}}}), HasSubstr("only one of"));
  EXPECT_THAT(message_of({{"rel_start", Floats{1e30, 1}}}), HasSubstr("not a place"));
}

}  // namespace
}  // namespace forebay::operators
