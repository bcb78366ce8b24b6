// Boxes of detection: turned, encoded and cropped. What is drawn at random keeps its rules, and is as likely
// as it should be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "forebay/operators/boxes/boxes.h"
#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using Wholes = std::vector<int64_t>;
using Reals = std::vector<double>;
using Constants = std::map<std::string, Value>;

constexpr int64_t kDraws = 4000;

std::vector<Tensor> detected(const std::string& name, std::vector<Tensor> inputs, const Constants& constants,
                             int64_t position = 0) {
  Given given{.constants = constants};
  given.identity.position = position;
  auto out = run_operator(name, std::move(inputs), given);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? *std::move(out) : std::vector<Tensor>(6);
}

std::string detection_error(const std::string& name, std::vector<Tensor> inputs, const Constants& constants) {
  return std::string(message(run_operator(name, std::move(inputs), {.constants = constants}).status()));
}

Tensor two_boxes() {
  return tensor_of<float>({0.1f, 0.2f, 0.3f, 0.5f, 0.4f, 0.1f, 0.9f, 0.2f}, {2, 4});
}
Tensor two_labels() {
  return tensor_of<int32_t>({3, 4}, {2});
}
Tensor no_boxes() {
  return tensor_of<float>({}, {0, 4});
}
Tensor no_labels() {
  return tensor_of<int32_t>({}, {0});
}

TEST(BoxLayout, ReadsAndWritesPermutations) {
  const std::vector<float> row{1, 2, 3, 4, 5, 6};
  for (const char* names : {"xyXY", "yxYX", "XYxy", "xyWH", "HWxy", "xyzXYZ", "zyxDHW"}) {
    const BoxLayout layout = *BoxLayout::of_names(names);
    std::vector<float> again(static_cast<size_t>(layout.numbers()));
    layout.write(layout.read(row.data()), again.data());
    EXPECT_EQ(again, std::vector<float>(row.begin(), row.begin() + layout.numbers())) << names;
  }
  const Box box = BoxLayout::of_names("yxHW")->read(row.data());
  EXPECT_THAT(box.low, ElementsAre(2, 1, 0));
  EXPECT_THAT(box.high, ElementsAre(6, 4, 0));
  for (const char* names : {"", "xyX", "xyXX", "xyXH", "xyzXY", "xyzXYZW"}) {
    EXPECT_THAT(std::string(message(BoxLayout::of_names(names).status())), HasSubstr("permutation")) << names;
  }
}

TEST(BoxRotate, RemovesWhatLeavesTheImage) {
  const Constants turn{
      {"angle", 30.0}, {"input_shape", Wholes{40, 50}}, {"keep_size", true}, {"remove_threshold", 0.9}};
  const std::vector<Tensor> out = detected("bbox_rotate", {two_boxes(), two_labels()}, turn);
  EXPECT_EQ(out[0].shape(), (Shape{1, 4}));
  EXPECT_THAT(values_of<int32_t>(out[1]), ElementsAre(3));
  const std::vector<Tensor> none = detected("bbox_rotate", {no_boxes(), no_labels()}, turn);
  EXPECT_EQ(none[0].shape(), (Shape{0, 4}));
  EXPECT_EQ(none[1].shape(), (Shape{0}));
}

TEST(BoxRotate, QuarterTurnsAreExactBoxes) {
  const std::vector<Tensor> out =
      detected("bbox_rotate", {two_boxes()}, {{"angle", 90.0}, {"input_shape", Wholes{40, 50}}});
  // Counter-clockwise: the right edge becomes the top.
  EXPECT_THAT(values_of<float>(out[0]),
              ElementsAre(FloatNear(0.2f, 1e-5f), FloatNear(0.7f, 1e-5f), FloatNear(0.5f, 1e-5f),
                          FloatNear(0.9f, 1e-5f), FloatNear(0.1f, 1e-5f), FloatNear(0.1f, 1e-5f),
                          FloatNear(0.2f, 1e-5f), FloatNear(0.6f, 1e-5f)));
}

TEST(BoxRotate, NamesWhatIsWrong) {
  const Constants shape{{"angle", 1.0}, {"input_shape", Wholes{40, 50}}};
  const auto wrong = [&](Constants more, std::vector<Tensor> inputs = {two_boxes()}) {
    more.insert(shape.begin(), shape.end());
    return detection_error("bbox_rotate", std::move(inputs), more);
  };
  EXPECT_THAT(wrong({{"bbox_layout", "xyz"}}), HasSubstr("xyz"));
  EXPECT_THAT(wrong({{"shape_layout", "HC"}}), HasSubstr("HC"));
  EXPECT_THAT(wrong({{"shape_layout", "CHW"}}), HasSubstr("2 extents"));
  EXPECT_THAT(wrong({{"input_shape", Wholes{0, 3}}}), HasSubstr("extent 0"));
  EXPECT_THAT(wrong({{"remove_threshold", 1.5}}), HasSubstr("1.5"));
  EXPECT_THAT(wrong({{"keep_size", true}, {"size", Reals{3, 4}}}), HasSubstr("together"));
  EXPECT_THAT(wrong({{"size", Reals{3}}}), HasSubstr("height and width"));
  Constants endless = shape;
  endless["angle"] = std::numeric_limits<double>::infinity();
  EXPECT_THAT(detection_error("bbox_rotate", {two_boxes()}, endless), HasSubstr("'angle' is inf"));
  EXPECT_THAT(wrong({}, {two_boxes(), no_labels()}), HasSubstr("0 labels are given for 2 boxes"));
  EXPECT_THAT(wrong({}, {two_boxes(), tensor_of<int64_t>({1, 2}, {2})}), HasSubstr("INT32"));
  EXPECT_THAT(wrong({}, {counted<float>({4})}), HasSubstr("n x 4"));
}

TEST(BoxEncoder, GivesEveryBoxItsBestAnchor) {
  const Reals anchors{0, 0, 0.2, 0.2, 0.5, 0.5, 1, 1, 0.8, 0.8, 0.9, 0.9};
  const Tensor box = tensor_of<float>({0.82f, 0.82f, 0.99f, 0.99f}, {1, 4});
  const Tensor label = tensor_of<int32_t>({7}, {1});
  const std::vector<Tensor> out =
      detected("box_encoder", {box, label}, {{"anchors", anchors}, {"criteria", 0.9}});
  EXPECT_THAT(values_of<int32_t>(out[1]), ElementsAre(0, 0, 7));  // though it shares little with that one too
  EXPECT_THAT(values_of<float>(out[0])[4], FloatNear(0.75f, 1e-6f));
  EXPECT_THAT(values_of<float>(out[0])[8], FloatNear(0.905f, 1e-6f));
  const std::vector<Tensor> none =
      detected("box_encoder", {no_boxes(), no_labels()}, {{"anchors", anchors}, {"offset", true}});
  EXPECT_THAT(values_of<float>(none[0]), ::testing::Each(0.0f));
  EXPECT_THAT(values_of<int32_t>(none[1]), ElementsAre(0, 0, 0));
}

TEST(BoxEncoder, NamesWhatIsWrong) {
  const Reals anchors{0, 0, 1, 1};
  const auto wrong = [&](const Constants& constants) {
    return detection_error("box_encoder", {two_boxes(), two_labels()}, constants);
  };
  EXPECT_THAT(wrong({{"anchors", Reals{}}}), HasSubstr("0 numbers"));
  EXPECT_THAT(wrong({{"anchors", Reals{1, 2, 3}}}), HasSubstr("3 numbers"));
  EXPECT_THAT(wrong({{"anchors", anchors}, {"criteria", -1.0}}), HasSubstr("-1"));
  EXPECT_THAT(wrong({{"anchors", anchors}, {"means", Reals{1}}}), HasSubstr("means has 1"));
  EXPECT_THAT(wrong({{"anchors", anchors}, {"stds", Reals{1, 0, 1, 1}}}), HasSubstr("stds holds a 0"));
  EXPECT_THAT(detection_error("box_encoder", {two_boxes(), no_labels()}, {{"anchors", anchors}}),
              HasSubstr("0 labels"));
}

/// One draw of random_bbox_crop: the window by its corners, and the boxes that stay.
struct Drawn {
  std::vector<float> anchor;
  std::vector<float> shape;
  std::vector<Tensor> outputs;
};

Drawn draw(const Constants& constants, int64_t position,
           std::vector<Tensor> inputs = {two_boxes(), two_labels()}) {
  Drawn drawn;
  drawn.outputs = detected("random_bbox_crop", std::move(inputs), constants, position);
  drawn.anchor = values_of<float>(drawn.outputs[0]);
  drawn.shape = values_of<float>(drawn.outputs[1]);
  return drawn;
}

TEST(RandomBoxCrop, KeepsItsRules) {
  const Constants rules{{"scaling", Reals{0.3, 0.8}}, {"aspect_ratio", Reals{0.5, 2}},
                        {"thresholds", Reals{0.1}},   {"all_boxes_above_threshold", false},
                        {"allow_no_crop", false},     {"output_bbox_indices", true}};
  const BoxLayout layout = BoxLayout::of_plane(true);
  for (int64_t i = 0; i < 300; ++i) {
    const Drawn drawn = draw(rules, i);
    Box window;
    for (size_t axis = 0; axis < 2; ++axis) {
      EXPECT_THAT(drawn.shape[axis], AllOf(Ge(0.3f), Le(0.8f)));
      EXPECT_THAT(drawn.anchor[axis], AllOf(Ge(0.0f), Le(1 - drawn.shape[axis])));
      window.low[axis] = drawn.anchor[axis];
      window.high[axis] = drawn.anchor[axis] + drawn.shape[axis];
    }
    EXPECT_THAT(drawn.shape[0] / drawn.shape[1], AllOf(Ge(0.4999f), Le(2.0001f)));
    const std::vector<float> all = values_of<float>(two_boxes());
    float most = 0;
    std::vector<int32_t> kept;
    for (int32_t box = 0; box < 2; ++box) {
      const Box one = layout.read(&all[static_cast<size_t>(4 * box)]);
      most = std::max(most, intersection_over_union(window, one));
      if (window.holds_center_of(one)) {
        kept.push_back(box);
      }
    }
    EXPECT_GE(most, 0.0999f);
    EXPECT_EQ(values_of<int32_t>(drawn.outputs[4]), kept);
    EXPECT_EQ(drawn.outputs[2].shape()[0], static_cast<int64_t>(kept.size()));
    EXPECT_EQ(values_of<int32_t>(drawn.outputs[3])[0], kept[0] + 3);
    EXPECT_THAT(values_of<float>(drawn.outputs[2]), ::testing::Each(AllOf(Ge(0.0f), Le(1.0f))));
  }
}

TEST(RandomBoxCrop, TakesEverythingAsOftenAsAThreshold) {
  const Constants rules{{"scaling", Reals{0.5, 0.9}},
                        {"aspect_ratio", Reals{0.5, 2}},
                        {"thresholds", Reals{0, 0}},
                        {"all_boxes_above_threshold", false},
                        {"num_attempts", int64_t{1000}}};
  int64_t whole = 0;
  for (int64_t i = 0; i < kDraws; ++i) {
    whole += draw(rules, i).shape[0] == 1 ? 1 : 0;
  }
  // Three standard deviations of a binomial distribution.
  EXPECT_NEAR(static_cast<double>(whole) / kDraws, 1.0 / 3, 3 * std::sqrt(2.0 / 9 / kDraws));
}

TEST(RandomBoxCrop, PlacesWindowsOfPixelsEvenly) {
  const Constants rules{
      {"crop_shape", Wholes{7, 10}}, {"input_shape", Wholes{10, 12}}, {"shape_layout", "HW"}};
  std::map<std::pair<float, float>, int64_t> places;
  for (int64_t i = 0; i < kDraws; ++i) {
    const Drawn drawn = draw(rules, i, {tensor_of<float>({0.4f, 0.4f, 0.6f, 0.6f}, {1, 4})});
    EXPECT_THAT(drawn.shape, ElementsAre(10, 7));
    ++places[{drawn.anchor[0], drawn.anchor[1]}];
  }
  ASSERT_EQ(places.size(), 12U);  // x from 0 to 2, y from 0 to 3
  double chi_square = 0;
  for (const auto& [place, count] : places) {
    chi_square += std::pow(static_cast<double>(count) - kDraws / 12.0, 2) / (kDraws / 12.0);
  }
  EXPECT_LT(chi_square, 31.3);  // one in a thousand of 11 degrees of freedom
}

TEST(RandomBoxCrop, FixedRatiosAreKeptWithInputShape) {
  for (const double ratio : {1.0, 0.7}) {
    const Constants rules{{"scaling", Reals{0.2, 0.5}},
                          {"aspect_ratio", Reals{ratio, ratio}},
                          {"input_shape", Wholes{100, 80}},
                          {"allow_no_crop", false}};
    for (int64_t i = 0; i < 50; ++i) {
      const Drawn drawn = draw(rules, i, {tensor_of<float>({0, 0, 1, 1}, {1, 4})});
      EXPECT_NEAR(drawn.shape[0] * 100 / (drawn.shape[1] * 80), ratio, 1e-4);
    }
  }
}

TEST(RandomBoxCrop, InSpace) {
  const Constants rules{{"scaling", Reals{0.4, 0.8}},
                        {"bbox_layout", "zyxZYX"},
                        {"allow_no_crop", false},
                        {"aspect_ratio", Reals{0.5, 2, 1, 1, 0.5, 2}},
                        {"bbox_prune_threshold", 0.0}};
  const Tensor box = tensor_of<float>({0.1f, 0.2f, 0.3f, 0.4f, 0.6f, 0.8f}, {1, 6});
  for (int64_t i = 0; i < 50; ++i) {
    const Drawn drawn = draw(rules, i, {box});
    ASSERT_EQ(drawn.shape.size(), 3U);
    EXPECT_NEAR(drawn.shape[0], drawn.shape[2], 1e-5f);
    const std::vector<float> moved = values_of<float>(drawn.outputs[2]);
    EXPECT_NEAR(moved[0], std::max(0.0f, (0.1f - drawn.anchor[2]) / drawn.shape[2]), 1e-5f);
    EXPECT_NEAR(moved[5], std::min(1.0f, (0.8f - drawn.anchor[0]) / drawn.shape[0]), 1e-5f);
  }
}

TEST(RandomBoxCrop, WithoutBoxes) {
  const Constants rules{{"scaling", Reals{0.3, 0.8}}, {"aspect_ratio", Reals{0.5, 2}}};
  EXPECT_EQ(draw(rules, 0, {no_boxes(), no_labels()}).shape[0], 1);
  Constants cropped = rules;
  cropped["allow_no_crop"] = false;
  const Drawn drawn = draw(cropped, 0, {no_boxes(), no_labels()});
  EXPECT_LT(drawn.shape[0], 0.8001f);
  EXPECT_EQ(drawn.outputs[2].shape(), (Shape{0, 4}));
  EXPECT_EQ(drawn.outputs[3].shape(), (Shape{0}));
  const Drawn in_space = draw({}, 0, {tensor_of<float>({}, {0, 6})});
  EXPECT_THAT(in_space.anchor, ElementsAre(0, 0, 0));
  EXPECT_THAT(in_space.shape, ElementsAre(1, 1, 1));
}

TEST(RandomBoxCrop, TakesTheBestOrGivesUp) {
  Constants rules{{"scaling", Reals{0.3, 0.8}},
                  {"aspect_ratio", Reals{0.5, 2}},
                  {"thresholds", Reals{0.99}},
                  {"allow_no_crop", false}};
  EXPECT_THAT(detection_error("random_bbox_crop", {two_boxes()}, rules), HasSubstr("total_num_attempts"));
  rules["total_num_attempts"] = int64_t{20};
  EXPECT_EQ(draw(rules, 0).shape.size(), 2U);
  rules["aspect_ratio"] = Reals{30, 40};
  EXPECT_THAT(detection_error("random_bbox_crop", {two_boxes()}, rules), HasSubstr("aspect ratio"));
}

TEST(RandomBoxCrop, TakesRatiosWithoutABound) {
  Constants endless{{"scaling", Reals{0.3, 0.8}}, {"aspect_ratio", Reals{0, INFINITY}}};
  Constants wide = endless;
  wide["aspect_ratio"] = Reals{0, 1e30};
  for (int64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(draw(endless, i).anchor, draw(wide, i).anchor);
    EXPECT_EQ(draw(endless, i).shape, draw(wide, i).shape);
  }
  EXPECT_THAT(detection_error("random_bbox_crop", {two_boxes()}, {{"aspect_ratio", Reals{NAN, 1}}}),
              HasSubstr("'aspect_ratio' is nan; it must be a number"));
}

TEST(RandomBoxCrop, NoWindowIsInfinite) {
  Constants rules{{"scaling", Reals{0.5, INFINITY}}, {"total_num_attempts", int64_t{100}}};
  EXPECT_THAT(draw(rules, 0).shape, ElementsAre(1, 1));
  rules["allow_no_crop"] = false;
  EXPECT_THAT(detection_error("random_bbox_crop", {two_boxes()}, rules), HasSubstr("none has the aspect"));
}

TEST(RandomBoxCrop, NamesWhatIsWrong) {
  const auto wrong = [](const Constants& constants,
                        std::vector<Tensor> inputs = {two_boxes(), two_labels()}) {
    return detection_error("random_bbox_crop", std::move(inputs), constants);
  };
  const Wholes shape{20, 30};
  EXPECT_THAT(wrong({{"crop_shape", shape}}), HasSubstr("input_shape"));
  EXPECT_THAT(wrong({{"crop_shape", shape}, {"input_shape", shape}, {"scaling", Reals{1, 1}}}),
              HasSubstr("scaling"));
  EXPECT_THAT(wrong({{"crop_shape", shape}, {"input_shape", shape}, {"allow_no_crop", true}}),
              HasSubstr("allow_no_crop"));
  EXPECT_THAT(wrong({{"crop_shape", shape}, {"input_shape", shape}, {"shape_layout", "HX"}}),
              HasSubstr("HX"));
  EXPECT_THAT(wrong({{"crop_shape", shape}, {"input_shape", Wholes{1, 2, 3}}}), HasSubstr("3 extents"));
  EXPECT_THAT(wrong({{"scaling", Reals{0.9, 0.5}}}), HasSubstr("scaling"));
  EXPECT_THAT(wrong({{"aspect_ratio", Reals{1, 2, 3}}}), HasSubstr("3 numbers"));
  EXPECT_THAT(wrong({{"aspect_ratio", Reals{2, 1}}}), HasSubstr("[2, 1]"));
  EXPECT_THAT(wrong({{"thresholds", Reals{1.5}}}), HasSubstr("1.5"));
  EXPECT_THAT(wrong({{"thresholds", Reals{}}}), HasSubstr("empty"));
  EXPECT_THAT(wrong({{"threshold_type", "x"}}), HasSubstr("overlap"));
  EXPECT_THAT(wrong({{"num_attempts", int64_t{0}}}), HasSubstr("attempts"));
  EXPECT_THAT(wrong({{"total_num_attempts", int64_t{0}}}), HasSubstr("attempts"));
  EXPECT_THAT(wrong({{"bbox_prune_threshold", 2.0}}), HasSubstr("bbox_prune_threshold"));
  EXPECT_THAT(wrong({{"ltrb", true}, {"bbox_layout", "xyXY"}}), HasSubstr("together"));
  EXPECT_THAT(wrong({}, {two_boxes(), no_labels()}), HasSubstr("0 labels are given for 2 boxes"));
  EXPECT_THAT(wrong({}, {counted<float>({2, 5})}), HasSubstr("n x 4 or n x 6"));
  EXPECT_THAT(wrong({{"bbox_layout", "xyXY"}}, {counted<float>({2, 6})}), HasSubstr("n x 4"));
  EXPECT_THAT(wrong({}, {counted<float>({2, 4})}), HasSubstr("0 to 1"));
}

TEST(SsdRandomCrop, CutsImageAndBoxesAlike) {
  const Tensor image = test_image({40, 50, 3});
  int64_t whole = 0;
  for (int64_t i = 0; i < 200; ++i) {
    const std::vector<Tensor> out = detected("ssd_random_crop", {image, two_boxes(), two_labels()}, {}, i);
    if (out[0].shape() == image.shape()) {
      ++whole;
      EXPECT_TRUE(same_bytes(out[1], two_boxes()));
      continue;
    }
    EXPECT_GE(out[1].shape()[0], 1);
    EXPECT_EQ(out[1].shape()[0], out[2].shape()[0]);
    EXPECT_THAT(out[0].shape()[0], AllOf(Ge(12), Le(40)));
    EXPECT_THAT(out[0].shape()[1], AllOf(Ge(15), Le(50)));
  }
  EXPECT_THAT(whole, AllOf(Ge(20), Le(190)));
  EXPECT_EQ(detected("ssd_random_crop", {image, no_boxes(), no_labels()}, {})[0].shape(), image.shape());
  EXPECT_THAT(detection_error("ssd_random_crop", {image, two_boxes(), no_labels()}, {}),
              HasSubstr("0 labels"));
  EXPECT_THAT(detection_error("ssd_random_crop", {two_boxes(), two_boxes(), two_labels()}, {}),
              HasSubstr("HWC"));
}

}  // namespace
}  // namespace forebay::operators::testing
