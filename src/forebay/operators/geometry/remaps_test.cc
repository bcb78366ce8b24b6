// water, sphere, jitter, remap, warp_perspective: what they share and what they refuse.
// tests/parity compares their values with DALI's and OpenCV's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Numbers = std::vector<double>;

Tensor remapped(const std::string& name, std::vector<Tensor> inputs, const Given& given = {}) {
  const auto out = run_operator(name, std::move(inputs), given);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0] : Tensor();
}

std::string remap_error(const std::string& name, std::vector<Tensor> inputs, const Given& given = {}) {
  return std::string(message(run_operator(name, std::move(inputs), given).status()));
}

TEST(Displacement, LeavesWhatIsMaskedAndSharesIt) {
  const Tensor image = test_image({5, 6, 3});
  for (const char* name : {"water", "sphere", "jitter"}) {
    const Tensor same = remapped(name, {image}, {.constants = {{"mask", int64_t{0}}}});
    EXPECT_EQ(same.data(), image.data()) << name;
    EXPECT_THAT(remap_error(name, {image}, {.constants = {{"interp_type", int64_t{2}}}}),
                HasSubstr("INTERP_NN"));
    EXPECT_THAT(remap_error(name, {counted<int64_t>({5, 6, 3}, "HWC")}), HasSubstr("cast it"));
  }
}

TEST(Water, WithoutWavesIsTheImage) {
  const Tensor image = test_image({5, 6, 3});
  const Given still{.constants = {{"ampl_x", 0.0}, {"ampl_y", 0.0}}};
  EXPECT_TRUE(same_bytes(remapped("water", {image}, still), image));
}

TEST(Jitter, StaysNearAndDependsOnTheSample) {
  const Tensor image = counted<int32_t>({20, 30, 1}, "HWC");
  Given given{.constants = {{"nDegree", int64_t{4}}}};
  const std::vector<int32_t> moved = values_of<int32_t>(remapped("jitter", {image}, given));
  for (int64_t i = 0; i < 600; ++i) {
    const int64_t from = moved[static_cast<size_t>(i)];
    EXPECT_LE(std::abs(from / 30 - i / 30), 2);
    EXPECT_LE(std::abs(from % 30 - i % 30), 2);
  }
  EXPECT_EQ(moved, values_of<int32_t>(remapped("jitter", {image}, given)));
  given.identity.position = 1;
  EXPECT_NE(moved, values_of<int32_t>(remapped("jitter", {image}, given)));
  EXPECT_THAT(remap_error("jitter", {image}, {.constants = {{"nDegree", int64_t{0}}}}),
              HasSubstr("nDegree is 0"));
}

TEST(Remap, HasTheShapeOfItsMaps) {
  const Tensor image = tensor_of<uint8_t>({1, 2, 3, 4}, {2, 2, 1}, "HWC");
  const Tensor xs = tensor_of<float>({1.5f, 0.5f, -3.0f}, {1, 3});
  const Tensor ys = tensor_of<float>({0.5f, 1.5f, 0.5f}, {1, 3});
  const Tensor out = remapped("experimental.remap", {image, xs, ys});
  EXPECT_EQ(out.shape(), (Shape{1, 3, 1}));
  EXPECT_THAT(values_of<uint8_t>(out), ElementsAre(2, 3, 0));
  EXPECT_THAT(remap_error("experimental.remap", {image, xs, tensor_of<float>({1}, {1, 1})}),
              HasSubstr("alike"));
  EXPECT_THAT(remap_error("experimental.remap", {image, tensor_of<float>({1}, {1}), ys}),
              HasSubstr("two axes"));
}

TEST(WarpPerspective, TakesAMapForEachFrameInPlanes) {
  const Tensor image = tensor_of<uint8_t>({1, 2, 3, 4}, {2, 1, 1, 2}, "FCHW");
  const Tensor maps =
      tensor_of<float>({1, 0, 1, 0, 1, 0, 0, 0, 1, -1, 0, 2, 0, 1, 0, 0, 0, 1}, {2, 3, 3}, "F**");
  EXPECT_THAT(values_of<uint8_t>(remapped("experimental.warp_perspective", {image, maps})),
              ElementsAre(2, 0, 4, 3));
}

TEST(WarpPerspective, FillsEachChannelInAnyLayout) {
  const Given given{
      .constants = {{"matrix", Numbers{1, 0, 1, 0, 1, 0, 0, 0, 1}}, {"fill_value", Numbers{7, 8, 9}}}};
  const auto moved = [&](const Tensor& image) {
    return values_of<uint8_t>(remapped("experimental.warp_perspective", {image}, given));
  };
  EXPECT_THAT(moved(tensor_of<uint8_t>({1, 2, 3, 4, 5, 6}, {1, 2, 3}, "HWC")), ElementsAre(4, 5, 6, 7, 8, 9));
  EXPECT_THAT(moved(tensor_of<uint8_t>({1, 4, 2, 5, 3, 6}, {3, 1, 2}, "CHW")), ElementsAre(4, 7, 5, 8, 6, 9));
  EXPECT_THAT(moved(tensor_of<uint8_t>({1, 2, 3, 4, 5, 6}, {2, 3, 1, 1}, "FCHW")),
              ElementsAre(7, 8, 9, 7, 8, 9));
  for (const Tensor& image : {test_image({2, 6, 3}, "CHW"), test_image({6, 6}, "HW")}) {
    EXPECT_THAT(remap_error("experimental.warp_perspective", {image}, given),
                HasSubstr("fill_value has 3 values"));
  }
}

TEST(WarpPerspective, NamesWhatIsWrong) {
  const Tensor image = test_image({5, 6, 3});
  const auto error = [&](std::map<std::string, Value> constants) {
    return remap_error("experimental.warp_perspective", {image}, {.constants = std::move(constants)});
  };
  const Numbers identity{1, 0, 0, 0, 1, 0, 0, 0, 1};
  EXPECT_THAT(error({}), HasSubstr("matrix"));
  EXPECT_THAT(error({{"matrix", Numbers{1, 2}}}), HasSubstr("nine numbers"));
  EXPECT_THAT(error({{"matrix", Numbers(9, 1.0)}, {"inverse_map", false}}), HasSubstr("cannot be inverted"));
  EXPECT_THAT(error({{"matrix", identity}, {"fill_value", Numbers{1, 2}}}),
              HasSubstr("fill_value has 2 values"));
  EXPECT_THAT(error({{"matrix", identity}, {"size", Numbers{4, 1e30}}}), HasSubstr("extent"));
}

}  // namespace
}  // namespace forebay::operators::testing
