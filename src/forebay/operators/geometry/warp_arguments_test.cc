// rotate and warp_affine: canvases, exact rotations, frames, volumes, errors. The kernels' own tests check
// the sampling.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Constants = std::map<std::string, Value>;
using Floats = std::vector<double>;

Result<Tensor> warped(const char* name, Constants constants, Tensor in) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<Tensor> out, run_operator(name, {in}, {.constants = constants}));
  return out[0];
}

std::string warp_error(const char* name, Constants constants, Tensor in) {
  return std::string(message(warped(name, std::move(constants), std::move(in)).status()));
}

TEST(Rotate, TurnsByQuartersExactly) {
  const Tensor in = tensor_of<uint8_t>({1, 2, 3, 4, 5, 6}, {2, 3, 1}, "HWC");
  const Tensor quarter = *warped("rotate", {{"angle", 90.0}}, in);
  EXPECT_EQ(quarter.shape(), (Shape{3, 2, 1}));
  EXPECT_THAT(values_of<uint8_t>(quarter), ElementsAre(3, 6, 2, 5, 1, 4));
  const Tensor half = *warped("rotate", {{"angle", 180.0}, {"interp_type", int64_t{0}}}, in);
  EXPECT_THAT(values_of<uint8_t>(half), ElementsAre(6, 5, 4, 3, 2, 1));
}

TEST(Rotate, ChoosesItsCanvas) {
  const Tensor in = counted<uint8_t>({5, 7, 3}, "HWC");
  const auto shape = [&](Constants constants) { return warped("rotate", std::move(constants), in)->shape(); };
  EXPECT_EQ(shape({{"angle", 0.0}}), (Shape{5, 7, 3}));
  EXPECT_EQ(shape({{"angle", 10.0}}), (Shape{7, 9, 3}));
  EXPECT_EQ(shape({{"angle", 45.0}}), (Shape{9, 9, 3}));
  EXPECT_EQ(shape({{"angle", 30.0}, {"keep_size", true}}), (Shape{5, 7, 3}));
  EXPECT_EQ(shape({{"angle", 30.0}, {"size", Floats{10.4, 12.6}}}), (Shape{10, 13, 3}));
}

TEST(Rotate, TurnsEachFrameAlike) {
  const Tensor in = counted<uint8_t>({2, 3, 4, 1}, "FHWC");
  const auto out = run_operator("rotate", {in}, {.tensors = {{"angle", scalar_of(20.0f)}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].layout(), Layout("FHWC"));
  const std::vector<uint8_t> both = values_of<uint8_t>((*out)[0]);
  for (int frame = 0; frame < 2; ++frame) {
    const std::vector<uint8_t> all = values_of<uint8_t>(in);
    const Tensor one =
        tensor_of<uint8_t>({all.begin() + frame * 12, all.begin() + frame * 12 + 12}, {3, 4, 1}, "HWC");
    const std::vector<uint8_t> alone = values_of<uint8_t>(*warped("rotate", {{"angle", 20.0}}, one));
    ASSERT_EQ(both.size(), 2 * alone.size());
    EXPECT_TRUE(std::ranges::equal(alone, std::span(both).subspan(frame * alone.size(), alone.size())));
  }
}

TEST(Rotate, TurnsVolumesAboutAnAxis) {
  const Tensor in = counted<uint8_t>({3, 4, 5, 1}, "DHWC");
  const Tensor out = *warped("rotate", {{"angle", 30.0}, {"axis", Floats{0, 0, 1}}}, in);
  EXPECT_EQ(out.shape(), (Shape{3, 6, 7, 1}));
  EXPECT_THAT(warp_error("rotate", {{"angle", 30.0}}, in), HasSubstr("axis"));
  EXPECT_FALSE(warped("rotate", {{"angle", 30.0}, {"axis", Floats{0, 0, 0}}}, in).ok());
}

TEST(Rotate, NamesWhatIsWrong) {
  const Tensor in = counted<uint8_t>({5, 7, 3}, "HWC");
  EXPECT_THAT(warp_error("rotate", {}, in), HasSubstr("'angle' must be given"));
  EXPECT_THAT(warp_error("rotate", {{"angle", 1.0}, {"interp_type", int64_t{2}}}, in),
              HasSubstr("INTERP_LINEAR"));
  EXPECT_THAT(warp_error("rotate", {{"angle", 1.0}, {"size", Floats{3}}}, in), HasSubstr("1 extents"));
  EXPECT_THAT(warp_error("rotate", {{"angle", 1.0}, {"size", Floats{-3, 3}}}, in), HasSubstr("extent of -3"));
  EXPECT_THAT(warp_error("rotate", {{"angle", 1.0}}, counted<uint8_t>({3, 2, 2}, "CHW")), HasSubstr("HWC"));
}

TEST(WarpAffine, SamplesThroughTheMatrix) {
  const Tensor in = tensor_of<uint8_t>({0, 20, 40, 60, 80}, {1, 5, 1}, "HWC");
  const auto row = [&](Constants constants) {
    const auto out = warped("warp_affine", std::move(constants), in);
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? values_of<uint8_t>(*out) : std::vector<uint8_t>();
  };
  EXPECT_THAT(row({{"matrix", Floats{1, 0, 0.5, 0, 1, 0}}, {"fill_value", 0.0}}),
              ElementsAre(10, 30, 50, 70, 40));
  EXPECT_THAT(row({{"matrix", Floats{2, 0, 0, 0, 1, 0}}, {"fill_value", 0.0}}),
              ElementsAre(10, 50, 40, 0, 0));
  EXPECT_THAT(row({{"matrix", Floats{2, 0, 0, 0, 1, 0}}}), ElementsAre(10, 50, 80, 80, 80));
  EXPECT_THAT(row({{"matrix", Floats{2, 0, 0, 0, 1, 0}}, {"inverse_map", false}}),
              ElementsAre(0, 5, 15, 25, 35));
  EXPECT_THAT(row({{"matrix", Floats{1, 0, 1, 0, 1, 0}}, {"size", Floats{1, 2}}}), ElementsAre(20, 40));
}

TEST(WarpAffine, TakesItsMatrixAsInputOrTensor) {
  const Tensor in = tensor_of<uint8_t>({0, 20, 40}, {1, 3, 1}, "HWC");
  const Tensor matrix = tensor_of<float>({1, 0, 1, 0, 1, 0}, {2, 3});
  const auto by_input = run_operator("warp_affine", {in, matrix});
  ASSERT_TRUE(by_input.ok()) << by_input.status();
  EXPECT_THAT(values_of<uint8_t>((*by_input)[0]), ElementsAre(20, 40, 40));
  const auto by_tensor = run_operator("warp_affine", {in}, {.tensors = {{"matrix", matrix}}});
  EXPECT_EQ(values_of<uint8_t>((*by_tensor)[0]), values_of<uint8_t>((*by_input)[0]));
  EXPECT_THAT(warp_error("warp_affine", {}, in), HasSubstr("either"));
  EXPECT_THAT(warp_error("warp_affine", {{"matrix", Floats{1, 0, 0, 0, 1}}}, in), HasSubstr("6 elements"));
  EXPECT_FALSE(
      warped("warp_affine", {{"matrix", Floats{0, 0, 0, 0, 0, 0}}, {"inverse_map", false}}, in).ok());
}

}  // namespace
}  // namespace forebay::operators::testing
