// Boxes and points: what is refused, and where windows about a region are drawn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;
using Floats = std::vector<double>;

Tensor placed(const std::string& name, std::vector<Tensor> inputs, Given given = {}) {
  const auto out = run_operator(name, std::move(inputs), given);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0] : Tensor();
}

std::string place_error(const std::string& name, std::vector<Tensor> inputs, Given given = {}) {
  return std::string(message(run_operator(name, std::move(inputs), given).status()));
}

TEST(Boxes, ShapesStay) {
  const Tensor boxes = tensor_of<float>({0.25f, 0, 0.5f, 1}, {1, 1, 4}, "NBX");
  const Tensor out = placed("bb_flip", {boxes});
  EXPECT_EQ(out.spec(), boxes.spec());
  EXPECT_THAT(values_of<float>(out), ElementsAre(0.25f, 0, 0.5f, 1));
  EXPECT_EQ(placed("bb_flip", {counted<float>({0, 4})}).shape(), (Shape{0, 4}));
}

TEST(Boxes, NameWhatIsWrong) {
  EXPECT_THAT(place_error("bb_flip", {counted<float>({2, 3})}), HasSubstr("four numbers"));
  EXPECT_THAT(place_error("bb_flip", {counted<double>({2, 4})}), HasSubstr("FLOAT"));
  EXPECT_THAT(place_error("bbox_paste", {counted<float>({2, 4})}, {.constants = {{"ratio", 0.5}}}),
              HasSubstr("0.5"));
}

TEST(CoordFlip, MirrorsNamedCoordinates) {
  const Tensor points = tensor_of<float>({1, 2, 3, 4}, {2, 2});
  const Given given{
      .constants = {{"layout", "zx"}, {"flip_z", int64_t{1}}, {"center_z", 3.0}, {"flip_x", int64_t{0}}}};
  EXPECT_THAT(values_of<float>(placed("coord_flip", {points}, given)), ElementsAre(5, 2, 3, 4));
  EXPECT_THAT(place_error("coord_flip", {points}, {.constants = {{"layout", "xx"}}}),
              HasSubstr("at most once"));
  EXPECT_THAT(place_error("coord_flip", {points}, {.constants = {{"layout", "y"}}}), HasSubstr("n x 1"));
  EXPECT_THAT(place_error("coord_flip", {counted<float>({4})}), HasSubstr("points"));
}

TEST(CoordTransform, ChangesByFrames) {
  const Tensor points = counted<int32_t>({2, 1, 2}, "FNX");
  const Given given{.tensors = {{"M", tensor_of<float>({1, 1, 2, 2}, {2, 1, 2}, "F**")}}};
  const Tensor out = placed("coord_transform", {points}, given);
  EXPECT_EQ(out.spec(), (TensorSpec{{2, 1, 1}, DType::kFloat, "FNX"}));
  EXPECT_THAT(values_of<float>(out), ElementsAre(1, 10));
  EXPECT_THAT(place_error("coord_transform", {counted<int32_t>({3, 1, 2}, "FNX")}, given),
              HasSubstr("2 frames"));
}

TEST(CoordTransform, NamesWhatIsWrong) {
  const Tensor points = counted<float>({2, 2});
  EXPECT_THAT(place_error("coord_transform", {points}, {.constants = {{"M", Floats{1, 2, 3}}}}),
              HasSubstr("2 columns"));
  EXPECT_THAT(place_error("coord_transform", {points}, {.constants = {{"T", Floats{1, 2, 3}}}}),
              HasSubstr("T has 3"));
  EXPECT_THAT(place_error("coord_transform", {points}, {.constants = {{"T", Floats{1}}, {"MT", Floats{1}}}}),
              HasSubstr("either"));
  EXPECT_THAT(place_error("coord_transform", {counted<float>({2})}), HasSubstr("two axes"));
}

TEST(RoiRandomCrop, DrawsEveryPlaceThatFits) {
  Given given{
      .constants = {{"crop_shape", Ints{2, 8}}, {"roi_start", Ints{4, 4}}, {"roi_shape", Ints{4, 6}}}};
  std::set<int64_t> inside;
  std::set<int64_t> around;
  for (int64_t position = 0; position < 200; ++position) {
    given.identity.position = position;
    const std::vector<int64_t> start = values_of<int64_t>(placed("roi_random_crop", {}, given));
    inside.insert(start[0]);
    around.insert(start[1]);
  }
  EXPECT_THAT(inside, ElementsAre(4, 5, 6));
  EXPECT_THAT(around, ElementsAre(2, 3, 4));
}

TEST(RoiRandomCrop, StaysWithinTheImage) {
  Given given{.constants = {{"crop_shape", Ints{8}}, {"roi_start", Ints{24}}, {"roi_end", Ints{30}}}};
  for (int64_t position = 0; position < 50; ++position) {
    given.identity.position = position;
    EXPECT_THAT(values_of<int64_t>(placed("roi_random_crop", {counted<uint8_t>({30, 3})}, given)),
                ElementsAre(22));
  }
  EXPECT_THAT(place_error("roi_random_crop", {counted<uint8_t>({7})}, given), HasSubstr("does not fit"));
  given.constants["roi_shape"] = Ints{3};
  EXPECT_THAT(place_error("roi_random_crop", {}, given), HasSubstr("either"));
}

}  // namespace
}  // namespace forebay::operators::testing
