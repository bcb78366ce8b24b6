// Masks: which blobs there are, what is drawn of them and how often, and polygons by their masks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "forebay/operators/segmentation/blobs.h"
#include "forebay/operators/testing/conformance_cases.h"
#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Wholes = std::vector<int64_t>;
using Constants = std::map<std::string, Value>;

constexpr int64_t kTimes = 1500;

std::vector<Tensor> segmented(const std::string& name, std::vector<Tensor> inputs, const Constants& constants,
                              int64_t position = 0) {
  Given given{.constants = constants};
  given.identity.position = position;
  auto out = run_operator("segmentation." + name, std::move(inputs), given);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? *std::move(out) : std::vector<Tensor>(4);
}

std::string mask_error(const std::string& name, std::vector<Tensor> inputs, const Constants& constants) {
  return std::string(
      message(run_operator("segmentation." + name, std::move(inputs), {.constants = constants}).status()));
}

/// Three objects of class 2, two of them single pixels that touch at a corner; one of class 1.
Tensor mask_of_objects() {
  return tensor_of<uint8_t>({2, 0, 0, 0, 0, 0,  //
                             0, 2, 0, 0, 0, 0,  //
                             0, 0, 0, 2, 2, 0,  //
                             0, 0, 0, 2, 2, 0,  //
                             1, 0, 0, 0, 0, 0},
                            {5, 6});
}

/// How often each box is drawn.
std::map<std::vector<int32_t>, int64_t> boxes_drawn(Constants constants) {
  constants["format"] = "box";
  std::map<std::vector<int32_t>, int64_t> drawn;
  for (int64_t i = 0; i < kTimes; ++i) {
    ++drawn[values_of<int32_t>(segmented("random_object_bbox", {mask_of_objects()}, constants, i)[0])];
  }
  return drawn;
}

void expect_share(const std::map<std::vector<int32_t>, int64_t>& drawn, std::vector<int32_t> box,
                  double share) {
  const auto found = drawn.find(box);
  const double part = found == drawn.end() ? 0 : static_cast<double>(found->second) / kTimes;
  EXPECT_NEAR(part, share, 3.3 * std::sqrt(share * (1 - share) / kTimes)) << ::testing::PrintToString(box);
}

/// Blobs by flooding from every element: slow and plain.
std::multiset<std::vector<int64_t>> flooded(const Tensor& mask, int64_t background) {
  const Shape& shape = mask.shape();
  const std::vector<int32_t> labels = values_of<int32_t>(mask);
  std::vector<bool> is_seen(labels.size());
  std::multiset<std::vector<int64_t>> boxes;
  for (size_t start = 0; start < labels.size(); ++start) {
    if (is_seen[start] || labels[start] == background) {
      continue;
    }
    std::vector<int64_t> box(static_cast<size_t>(2 * shape.rank()));
    std::fill_n(box.begin(), shape.rank(), INT64_MAX);
    std::vector<size_t> open{start};
    is_seen[start] = true;
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      int64_t stride = 1;
      for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        const int64_t place = static_cast<int64_t>(at) / stride % shape[axis];
        auto& low = box[static_cast<size_t>(axis)];
        auto& high = box[static_cast<size_t>(shape.rank() + axis)];
        low = std::min(low, place);
        high = std::max(high, place + 1);
        for (const int64_t step : {-1, 1}) {
          const auto next = static_cast<size_t>(static_cast<int64_t>(at) + step * stride);
          if (place + step >= 0 && place + step < shape[axis] && !is_seen[next] &&
              labels[next] == labels[at]) {
            is_seen[next] = true;
            open.push_back(next);
          }
        }
        stride *= shape[axis];
      }
    }
    box.push_back(labels[start]);
    boxes.insert(box);
  }
  return boxes;
}

TEST(Blobs, AreThoseThatFloodingFinds) {
  for (const Shape& shape :
       {Shape{40}, Shape{13, 17}, Shape{5, 6, 7}, Shape{3, 4, 3, 5}, Shape{2, 3, 2, 3, 2, 3}}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      RandomStream random(seed, 3);
      std::vector<int32_t> labels(static_cast<size_t>(shape.volume()));
      for (int32_t& label : labels) {
        label = static_cast<int32_t>(random.below(2 + seed % 3));
      }
      const Tensor mask = tensor_of<int32_t>(labels, shape);
      std::multiset<std::vector<int64_t>> found;
      for (const Blob& blob : find_blobs(mask, 0)) {
        std::vector<int64_t> box(blob.low.begin(), blob.low.begin() + shape.rank());
        box.insert(box.end(), blob.high.begin(), blob.high.begin() + shape.rank());
        box.push_back(blob.label);
        found.insert(box);
      }
      EXPECT_EQ(found, flooded(mask, 0)) << shape.to_string() << " " << seed;
    }
  }
}

TEST(RandomObjectBox, DrawsAClassThenAnObject) {
  const auto drawn = boxes_drawn({});
  expect_share(drawn, {4, 0, 5, 1}, 1.0 / 2);
  expect_share(drawn, {0, 0, 1, 1}, 1.0 / 6);
  expect_share(drawn, {1, 1, 2, 2}, 1.0 / 6);
  expect_share(drawn, {2, 3, 4, 5}, 1.0 / 6);
}

TEST(RandomObjectBox, DrawsAmongAllObjects) {
  const auto drawn = boxes_drawn({{"ignore_class", true}});
  EXPECT_EQ(drawn.size(), 4U);
  expect_share(drawn, {4, 0, 5, 1}, 1.0 / 4);
  expect_share(boxes_drawn({{"ignore_class", true}, {"k_largest", int64_t{2}}}), {2, 3, 4, 5}, 1.0 / 2);
}

TEST(RandomObjectBox, WeighsClasses) {
  expect_share(boxes_drawn({{"class_weights", std::vector<double>{1, 3}}}), {4, 0, 5, 1}, 1.0 / 4);
  expect_share(boxes_drawn({{"classes", Wholes{1, 2, 9}}, {"class_weights", std::vector<double>{3, 1, 50}}}),
               {4, 0, 5, 1}, 3.0 / 4);
  expect_share(boxes_drawn({{"foreground_prob", 0.25}, {"classes", Wholes{1}}}), {0, 0, 5, 6}, 3.0 / 4);
  // A class without an object that is large enough is drawn no more.
  expect_share(boxes_drawn({{"threshold", Wholes{2, 2}}}), {2, 3, 4, 5}, 1);
  expect_share(boxes_drawn({{"threshold", Wholes{3}}}), {0, 0, 5, 6}, 1);
  expect_share(boxes_drawn({{"classes", Wholes{0, 2}}, {"k_largest", int64_t{1}}}), {2, 3, 4, 5}, 1.0 / 2);
}

TEST(RandomObjectBox, GivesTheFormsAskedFor) {
  const Constants largest{{"k_largest", int64_t{1}}, {"classes", Wholes{2}}, {"output_class", true}};
  const std::vector<Tensor> anchor = segmented("random_object_bbox", {mask_of_objects()}, largest);
  EXPECT_THAT(values_of<int32_t>(anchor[0]), ElementsAre(2, 3));
  EXPECT_THAT(values_of<int32_t>(anchor[1]), ElementsAre(2, 2));
  EXPECT_EQ(anchor[2].spec(), (TensorSpec{{}, DType::kInt32, {}}));
  EXPECT_THAT(values_of<int32_t>(anchor[2]), ElementsAre(2));
  Constants ends = largest;
  ends["format"] = "start_end";
  EXPECT_THAT(values_of<int32_t>(segmented("random_object_bbox", {mask_of_objects()}, ends)[1]),
              ElementsAre(4, 5));
  const std::vector<Tensor> none =
      segmented("random_object_bbox", {mask_of_objects()},
                {{"classes", Wholes{0, 7}}, {"threshold", Wholes{9}}, {"output_class", true}});
  EXPECT_THAT(values_of<int32_t>(none[1]), ElementsAre(5, 6));
  EXPECT_THAT(values_of<int32_t>(none[2]), ElementsAre(-1));
}

TEST(RandomObjectBox, NamesWhatIsWrong) {
  const auto wrong = [](const Constants& constants, Tensor mask = mask_of_objects()) {
    return mask_error("random_object_bbox", {std::move(mask)}, constants);
  };
  EXPECT_THAT(wrong({{"ignore_class", true}, {"classes", Wholes{1}}}), HasSubstr("ignore_class"));
  EXPECT_THAT(wrong({{"k_largest", int64_t{0}}}), HasSubstr("k_largest"));
  EXPECT_THAT(wrong({{"format", "x"}}), HasSubstr("start_end"));
  EXPECT_THAT(wrong({{"classes", Wholes{0}}, {"background", int64_t{0}}}), HasSubstr("class 0"));
  EXPECT_THAT(wrong({{"classes", Wholes{1}}, {"class_weights", std::vector<double>{1, 2}}}),
              HasSubstr("2 `class_weights`"));
  EXPECT_THAT(wrong({{"class_weights", std::vector<double>{-1}}}), HasSubstr("-1"));
  EXPECT_THAT(wrong({{"threshold", Wholes{1, 2, 3}}}), HasSubstr("3 extents"));
  EXPECT_THAT(wrong({}, counted<float>({2, 2})), HasSubstr("integers"));
  EXPECT_THAT(wrong({}, tensor_of<uint8_t>({1}, {})), HasSubstr("axes"));
}

TEST(RandomMaskPixel, DrawsForegroundEvenly) {
  std::map<std::vector<int64_t>, int64_t> drawn;
  for (int64_t i = 0; i < kTimes; ++i) {
    ++drawn[values_of<int64_t>(segmented("random_mask_pixel", {mask_of_objects()},
                                         {{"foreground", int64_t{1}}, {"value", int64_t{2}}}, i)[0])];
  }
  ASSERT_EQ(drawn.size(), 6U);
  for (const auto& [place, count] : drawn) {
    EXPECT_NEAR(static_cast<double>(count) / kTimes, 1.0 / 6, 3.3 * std::sqrt(5.0 / 36 / kTimes));
  }
}

TEST(RandomMaskPixel, TakesThresholdsAndAnyPixel) {
  std::set<std::vector<int64_t>> above;
  std::set<std::vector<int64_t>> any;
  std::set<std::vector<int64_t>> absent;
  const Tensor reals = tensor_of<float>({0.5f, 1.5f, -1, 1.25f}, {2, 2});
  for (int64_t i = 0; i < 200; ++i) {
    above.insert(values_of<int64_t>(
        segmented("random_mask_pixel", {reals}, {{"foreground", int64_t{1}}, {"threshold", 1.0}}, i)[0]));
    any.insert(values_of<int64_t>(segmented("random_mask_pixel", {reals}, {}, i)[0]));
    absent.insert(values_of<int64_t>(segmented("random_mask_pixel", {mask_of_objects()},
                                               {{"foreground", int64_t{1}}, {"value", int64_t{300}}}, i)[0]));
  }
  EXPECT_THAT(above, ElementsAre(ElementsAre(0, 1), ElementsAre(1, 1)));
  EXPECT_EQ(any.size(), 4U);
  EXPECT_EQ(absent.size(), 30U);
  EXPECT_THAT(mask_error("random_mask_pixel", {reals}, {{"value", int64_t{1}}, {"threshold", 1.0}}),
              HasSubstr("together"));
  EXPECT_THAT(mask_error("random_mask_pixel", {tensor_of<float>({}, {0, 3})}, {}), HasSubstr("no pixel"));
}

TEST(RandomMaskPixel, TakesThresholdsWithoutABound) {
  for (const DType dtype : all_dtypes()) {
    const Tensor mask = noise({{2, 2}, dtype, {}}, 1);
    for (int64_t i = 0; i < 20; ++i) {
      const auto drawn = [&](double threshold) {
        return values_of<int64_t>(segmented("random_mask_pixel", {mask},
                                            {{"foreground", int64_t{1}}, {"threshold", threshold}}, i)[0]);
      };
      EXPECT_EQ(drawn(-INFINITY), drawn(INFINITY)) << "of all, or of all where none is foreground";
    }
  }
}

TEST(SelectMasks, KeepsAllPolygonsOfAMask) {
  const Tensor polygons = tensor_of<int32_t>({0, 0, 3, 1, 3, 7, 2, 7, 10, 1, 0, 2}, {4, 3});
  const Tensor vertices = counted<int16_t>({10, 1});
  const std::vector<Tensor> out = segmented(
      "select_masks", {tensor_of<int32_t>({2, 1}, {2}), polygons, vertices}, {{"reindex_masks", true}});
  EXPECT_THAT(values_of<int32_t>(out[0]), ElementsAre(0, 0, 3, 1, 3, 7, 1, 7, 9));
  EXPECT_THAT(values_of<int16_t>(out[1]), ElementsAre(7, 8, 9, 3, 4, 5, 6, 0, 1));
  const std::vector<Tensor> none =
      segmented("select_masks", {tensor_of<int32_t>({}, {0}), polygons, vertices}, {});
  EXPECT_EQ(none[0].shape(), (Shape{0, 3}));
  EXPECT_EQ(none[1].shape(), (Shape{0, 1}));
}

TEST(SelectMasks, NamesWhatIsWrong) {
  const Tensor vertices = counted<float>({10, 2});
  const auto wrong = [&](std::vector<int32_t> masks, std::vector<int32_t> rows) {
    const auto count = static_cast<int64_t>(masks.size());
    return mask_error("select_masks",
                      {tensor_of<int32_t>(std::move(masks), {count}),
                       tensor_of<int32_t>(std::move(rows), {1, 3}), vertices},
                      {});
  };
  EXPECT_THAT(wrong({5}, {0, 0, 3}), HasSubstr("mask 5 has no polygon"));
  EXPECT_THAT(wrong({0, 0}, {0, 0, 3}), HasSubstr("twice"));
  EXPECT_THAT(wrong({0}, {0, 0, 11}), HasSubstr("[0, 11) of 10"));
  EXPECT_THAT(wrong({0}, {0, 5, 3}), HasSubstr("[5, 3)"));
  EXPECT_THAT(wrong({0}, {0, -1, 3}), HasSubstr("[-1, 3)"));
  EXPECT_THAT(mask_error("select_masks", {tensor_of<int64_t>({1}, {1}), vertices, vertices}, {}),
              HasSubstr("INT32"));
  EXPECT_THAT(
      mask_error("select_masks", {tensor_of<int32_t>({1}, {1}), counted<int32_t>({2, 2}), vertices}, {}),
      HasSubstr("n x 3"));
}

}  // namespace
}  // namespace forebay::operators::testing
