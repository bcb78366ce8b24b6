// random_bbox_crop: draws a window of the image that keeps enough of its boxes.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "forebay/operators/boxes/box_window.h"
#include "forebay/operators/boxes/window_draws.h"

namespace forebay::operators {
namespace {

struct RandomBoxCrop {
  std::vector<float> aspect_ratio{1, 1};
  std::vector<float> scaling{1, 1};
  std::vector<float> thresholds{0};
  std::string threshold_type = "iou";
  bool ltrb = true;
  LayoutName bbox_layout;
  LayoutName shape_layout;
  Arg<std::vector<int64_t>> input_shape;
  Arg<std::vector<int64_t>> crop_shape;
  int64_t num_attempts = 1;
  std::optional<int64_t> total_num_attempts;
  bool all_boxes_above_threshold = true;
  bool allow_no_crop = true;
  bool output_bbox_indices = false;
  std::optional<float> bbox_prune_threshold;
  bool has_labels = false;

  int num_outputs() const { return 3 + (has_labels ? 1 : 0) + (output_bbox_indices ? 1 : 0); }

  Status prepare(const Arguments& arguments) {
    has_labels = arguments.num_inputs > 1;
    FOREBAY_RETURN_IF_ERROR(check_crop_shape(arguments));
    FOREBAY_RETURN_IF_ERROR(draws_.set(scaling, aspect_ratio));
    if (!bbox_layout.names.empty()) {
      if (arguments.constants.contains("ltrb")) {
        return invalid_argument("`ltrb` and `bbox_layout` cannot be given together");
      }
      FOREBAY_ASSIGN_OR_RETURN(layout_, BoxLayout::of_names(bbox_layout.names));
    }
    rules_ = {thresholds,
              allow_no_crop && !crop_shape.is_given(),
              threshold_type == "overlap",
              all_boxes_above_threshold,
              bbox_prune_threshold,
              num_attempts,
              total_num_attempts};
    return rules_.check();
  }

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const BoxLayout layout, layout_of(sample.input(0)));
    const memory::ScratchVector<Box> boxes = read_boxes(sample.input(0), layout);
    FOREBAY_RETURN_IF_ERROR(check_inside(boxes));
    if (has_labels) {
      FOREBAY_RETURN_IF_ERROR(check_labels(sample.input(1), sample.input(0).shape()[0]));
    }
    const int axes = layout.axes();
    FOREBAY_ASSIGN_OR_RETURN(const WindowShape image, shape_of(sample, input_shape, "input_shape", axes));
    FOREBAY_ASSIGN_OR_RETURN(const WindowShape crop, shape_of(sample, crop_shape, "crop_shape", axes));
    RandomStream stream = sample.random();
    const auto draw = [&](RandomStream& random) {
      return crop_shape.is_given() ? WindowDraws::draw_place(image, crop, axes, random)
                                   : draws_.draw_window(image, axes, random);
    };
    FOREBAY_ASSIGN_OR_RETURN(const BoxWindow found, find_window(boxes, axes, rules_, draw, stream));
    return write(sample, boxes, found, layout, crop_shape.is_given() ? image : WindowShape{1, 1, 1});
  }

 private:
  Status check_crop_shape(const Arguments& arguments) const {
    if (!crop_shape.is_given()) {
      return ok_status();
    }
    if (!input_shape.is_given()) {
      return invalid_argument("`crop_shape` needs `input_shape`");
    }
    for (const char* name : {"aspect_ratio", "scaling"}) {
      if (arguments.constants.contains(name)) {
        return invalid_argument("`{}` and `crop_shape` cannot be given together", name);
      }
    }
    if (allow_no_crop && arguments.constants.contains("allow_no_crop")) {
      return invalid_argument("`allow_no_crop` and `crop_shape` cannot be given together");
    }
    return ok_status();
  }

  Result<BoxLayout> layout_of(const Tensor& boxes) const {
    const int64_t numbers = boxes.shape().rank() == 2 ? boxes.shape()[1] : 0;
    if (numbers != 4 && numbers != 6) {
      return invalid_argument("boxes are FLOAT, n x 4 or n x 6, not {}", boxes.spec().to_string());
    }
    const BoxLayout layout = layout_.value_or(BoxLayout::of_axes(static_cast<int>(numbers / 2), ltrb));
    FOREBAY_RETURN_IF_ERROR(check_rows_of_boxes(boxes, layout.numbers()));
    return layout;
  }

  static Status check_inside(std::span<const Box> boxes) {
    constexpr float kRounding = 1e-5f;
    for (size_t i = 0; i < boxes.size(); ++i) {
      for (int axis = 0; axis < boxes[i].axes; ++axis) {
        if (!(boxes[i].low[axis] >= -kRounding && boxes[i].high[axis] <= 1 + kRounding)) {
          return invalid_argument(
              "box {} goes from {} to {} on an axis; boxes are parts of the image, 0 to 1", i,
              boxes[i].low[axis], boxes[i].high[axis]);
        }
      }
    }
    return ok_status();
  }

  /// In the order x, y, z; 1 without the argument.
  Result<WindowShape> shape_of(const Sample& sample, const Arg<std::vector<int64_t>>& argument,
                               std::string_view name, int axes) const {
    if (!argument.is_given()) {
      return WindowShape{1, 1, 1};
    }
    const std::string_view letters = std::string_view("WHD").substr(0, static_cast<size_t>(axes));
    const std::string_view order =
        shape_layout.names.empty() ? letters : std::string_view(shape_layout.names);
    if (!std::ranges::is_permutation(order, letters)) {
      return invalid_argument("shape_layout '{}' is no permutation of '{}'", order, letters);
    }
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers given, argument.values(sample));
    if (given.size() != letters.size()) {
      return invalid_argument("{} has {} extents; {} are needed", name, given.size(), letters.size());
    }
    return named_extents(name, given, order, letters);
  }

  Status write(Sample& sample, std::span<const Box> boxes, const BoxWindow& found, const BoxLayout& layout,
               const WindowShape& unit) const {
    const TensorSpec spec{{layout.axes()}, DType::kFloat, {}};
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView anchor, sample.output(0, spec));
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView shape, sample.output(1, spec));
    for (int axis = 0; axis < layout.axes(); ++axis) {
      anchor.as<float>()[axis] = whole_if(unit[axis] != 1, found.window.low[axis] * unit[axis]);
      shape.as<float>()[axis] = whole_if(unit[axis] != 1, found.window.extent(axis) * unit[axis]);
    }
    if (found.is_all) {
      sample.forward(2, sample.input(0));
    } else {
      FOREBAY_RETURN_IF_ERROR(write_boxes_in_window(sample, 2, boxes, found, layout));
    }
    if (has_labels) {
      FOREBAY_RETURN_IF_ERROR(keep_rows(sample, 3, sample.input(1), found.kept));
    }
    if (output_bbox_indices) {
      FOREBAY_ASSIGN_OR_RETURN(
          const MutableTensorView kept,
          sample.output(has_labels ? 4 : 3, {{static_cast<int64_t>(found.kept.size())}, DType::kInt32, {}}));
      std::ranges::copy(found.kept, kept.as<int32_t>());
    }
    return ok_status();
  }

  static float whole_if(bool is_pixels, float value) { return is_pixels ? std::round(value) : value; }

  WindowRules rules_;
  WindowDraws draws_;
  std::optional<BoxLayout> layout_;
};

}  // namespace

OperatorSpec random_bbox_crop() {
  using Op = RandomBoxCrop;
  return describe<Op>("random_bbox_crop", "Draws a window of an image that keeps enough of its boxes.")
      .input("boxes", "FLOAT, n x 4 or n x 6, as parts of the image's extents, 0 to 1.")
      .optional_input("labels", "INT32, n or n x k; those of boxes that do not stay are removed too.")
      .param("aspect_ratio", &Op::aspect_ratio,
             "Range of the window's width by its height; in three dimensions three ranges may be given, "
             "of x by "
             "y, x by z, y by z. Relative to the image's unless `input_shape` is given.")
      .or_infinite()
      .param("scaling", &Op::scaling, "Range of the window's extents as parts of the image's.")
      .or_infinite()
      .param("thresholds", &Op::thresholds,
             "What of boxes must be in the window: one is drawn for each `num_attempts` windows.")
      .param(
          "threshold_type", &Op::threshold_type,
          "`iou`: what box and window share as part of what they cover together; `overlap`: as part of the "
          "box.")
      .choices({"iou", "overlap"})
      .param("ltrb", &Op::ltrb, "Whether boxes are corners; else a corner and extents.")
      .param(
          "bbox_layout", &Op::bbox_layout,
          "Which number of a box is what: a permutation of xyXY, xyWH, xyzXYZ or xyzWHD; instead of `ltrb`.")
      .param("shape_layout", &Op::shape_layout,
             "Which extent of the shapes is what: a permutation of WH or WHD, which are the defaults.")
      .param("input_shape", &Op::input_shape, "The image's extents.")
      .param("crop_shape", &Op::crop_shape,
             "The window's extents, in pixels; instead of `aspect_ratio` and `scaling`.")
      .param("num_attempts", &Op::num_attempts, "How many windows are tried with one threshold.")
      .param("total_num_attempts", &Op::total_num_attempts,
             "After so many windows the best is taken. Without it, 100,000 that fail are an error.")
      .param("all_boxes_above_threshold", &Op::all_boxes_above_threshold,
             "Whether all boxes must reach the threshold; else one.")
      .param("allow_no_crop", &Op::allow_no_crop,
             "Whether taking the whole image is as likely as each threshold; not with `crop_shape`.")
      .param("output_bbox_indices", &Op::output_bbox_indices,
             "Whether there is one more output: which boxes stay.")
      .param("bbox_prune_threshold", &Op::bbox_prune_threshold,
             "The part of a box that must be in the window for it to stay; else its centre must be.")
      .ignored("quiet", false)
      .outputs(
          "Where the window begins and its extents, as FLOAT in the order x, y(, z), in parts of the image "
          "or, "
          "with `crop_shape`, pixels; the boxes that stay, as parts of the window and cut to it; their "
          "labels if "
          "there are labels; which boxes they are, INT32, if asked for. Of an image without boxes everything "
          "is "
          "taken where that is allowed, else any window.")
      .matches("DALI random_bbox_crop; other numbers, the same distribution")
      .random()
      .build();
}

}  // namespace forebay::operators
