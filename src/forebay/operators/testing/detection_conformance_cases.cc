#include "forebay/operators/testing/detection_conformance_cases.h"

#include <algorithm>
#include <utility>

namespace forebay::operators::testing {
namespace {

using Reals = std::vector<double>;
using Wholes = std::vector<int64_t>;

/// Boxes inside the image: corners of `axes` numbers each.
TensorOfSample some_boxes(int64_t count, int axes = 2) {
  return [count, axes](uint64_t sample) {
    RandomStream random(sample + 1, 5);
    std::vector<float> numbers;
    for (int64_t i = 0; i < count; ++i) {
      std::vector<float> high;
      for (int axis = 0; axis < axes; ++axis) {
        numbers.push_back(random.uniform(0.0f, 0.7f));
        high.push_back(numbers.back() + random.uniform(0.1f, 0.3f));
      }
      numbers.insert(numbers.end(), high.begin(), high.end());
    }
    return *Tensor::copy_of<float>(numbers, {count, 2 * axes}, {});
  };
}

TensorOfSample some_labels(int64_t count) {
  return [count](uint64_t sample) { return noise({{count}, DType::kInt32, {}}, sample); };
}

/// A mask of a few labels in blobs.
TensorOfSample some_mask(Shape shape, DType dtype = DType::kUint8) {
  return [shape, dtype](uint64_t sample) {
    Tensor mask = noise({shape, dtype, {}}, sample);
    tensor::visit_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        for (T& element : mask.mutable_view().template span<T>()) {
          element = static_cast<T>(element & 3);
        }
      }
    });
    return mask;
  };
}

template <class T>
TensorOfSample given(std::vector<T> values, Shape shape) {
  return [values = std::move(values), shape](uint64_t) { return *Tensor::copy_of<T>(values, shape, {}); };
}

void add_turned_boxes(std::vector<ConformanceCase>* cases) {
  cases->push_back({"bbox_rotate",
                    "",
                    {{"angle", 33.0}, {"input_shape", Wholes{40, 50}}, {"mode", std::string("halfway")}},
                    {some_boxes(5), some_labels(5)},
                    {}});
  cases->push_back({"bbox_rotate",
                    "in pixels",
                    {{"keep_size", true},
                     {"bbox_normalized", false},
                     {"bbox_layout", std::string("xyWH")},
                     {"input_shape", Wholes{40, 50}}},
                    {some_boxes(5)},
                    {{"angle", [](uint64_t sample) {
                        return noise({{}, DType::kFloat, {}}, sample);
                      }}}});
}

void add_encoded_boxes(std::vector<ConformanceCase>* cases) {
  Reals anchors;
  for (double at = 0; at < 0.75; at += 0.05) {
    anchors.insert(anchors.end(), {at, 0.7 - at, at + 0.25, 0.95 - at});
  }
  cases->push_back({"box_encoder", "", {{"anchors", anchors}}, {some_boxes(4), some_labels(4)}, {}});
  cases->push_back(
      {"box_encoder",
       "offsets",
       {{"anchors", anchors}, {"offset", true}, {"criteria", 0.1}, {"stds", Reals{0.1, 0.1, 0.2, 0.2}}},
       {some_boxes(4), some_labels(4)},
       {}});
}

void add_cropped_boxes(std::vector<ConformanceCase>* cases) {
  const Reals ratios{0.5, 2.0};
  cases->push_back({"random_bbox_crop",
                    "",
                    {{"aspect_ratio", ratios},
                     {"scaling", Reals{0.3, 0.9}},
                     {"thresholds", Reals{0.0, 0.1}},
                     {"allow_no_crop", false},
                     {"total_num_attempts", int64_t{50}},
                     {"output_bbox_indices", true}},
                    {some_boxes(4), some_labels(4)},
                    {}});
  cases->push_back(
      {"random_bbox_crop",
       "in space",
       {{"bbox_layout", std::string("xyzWHD")},
        {"threshold_type", std::string("overlap")},
        {"all_boxes_above_threshold", false},
        {"crop_shape", Wholes{20, 30, 10}},
        {"input_shape", Wholes{30, 40, 50}},
        {"shape_layout", std::string("DHW")},
        {"bbox_prune_threshold", 0.1}},
       {given<float>({0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.2f, 0.5f, 0.1f, 0.1f, 0.4f, 0.3f, 0.8f}, {2, 6})},
       {}});
  cases->push_back({"ssd_random_crop",
                    "",
                    {{"num_attempts", int64_t{20}}},
                    {[](uint64_t sample) {
                       return noise({{16, 17, 3}, DType::kUint8, "HWC"}, sample);
                     },
                     some_boxes(3), some_labels(3)},
                    {}});
}

void add_masks(std::vector<ConformanceCase>* cases) {
  cases->push_back({"segmentation.random_mask_pixel",
                    "",
                    {{"foreground", int64_t{1}}, {"value", int64_t{2}}},
                    {some_mask({6, 7})},
                    {}});
  cases->push_back(
      {"segmentation.random_mask_pixel", "of all", {}, {some_mask({6, 7, 3}, DType::kInt16)}, {}});
  cases->push_back({"segmentation.random_object_bbox",
                    "",
                    {{"classes", Wholes{1, 3}},
                     {"class_weights", Reals{0.3, 0.7}},
                     {"k_largest", int64_t{3}},
                     {"output_class", true}},
                    {some_mask({12, 13})},
                    {}});
  cases->push_back({"segmentation.random_object_bbox",
                    "in space",
                    {{"ignore_class", true}, {"format", std::string("box")}},
                    {some_mask({5, 6, 7}, DType::kInt32)},
                    {{"threshold", given<int32_t>({1, 1, 2}, {3})}}});
  cases->push_back({"segmentation.select_masks",
                    "",
                    {{"reindex_masks", true}},
                    {given<int32_t>({2, 0}, {2}), given<int32_t>({0, 0, 3, 1, 3, 7, 2, 7, 10}, {3, 3}),
                     [](uint64_t sample) {
                       return noise({{10, 2}, DType::kFloat, {}}, sample);
                     }},
                    {}});
}

}  // namespace

std::vector<ConformanceCase> detection_conformance_cases() {
  std::vector<ConformanceCase> cases;
  for (const auto add : {add_turned_boxes, add_encoded_boxes, add_cropped_boxes, add_masks}) {
    add(&cases);
  }
  return cases;
}

}  // namespace forebay::operators::testing
