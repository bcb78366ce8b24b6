// segmentation.random_object_bbox: the box of an object of a mask, drawn by its class.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "forebay/operators/describe.h"
#include "forebay/operators/segmentation/object_draw.h"

namespace forebay::operators {
namespace {

struct RandomObjectBox {
  bool ignore_class = false;
  bool output_class = false;
  Arg<float> foreground_prob = 1.0f;
  Arg<std::vector<int64_t>> classes;
  Arg<int64_t> background = 0;
  Arg<std::vector<float>> class_weights;
  std::optional<int64_t> k_largest;
  Arg<std::vector<int64_t>> threshold;
  std::string format = "anchor_shape";

  int num_outputs() const { return (format == "box" ? 1 : 2) + (output_class ? 1 : 0); }

  Status prepare(const Arguments&) const {
    if (ignore_class && (classes.is_given() || class_weights.is_given() || output_class)) {
      return invalid_argument(
          "`ignore_class` leaves no use for `classes`, `class_weights` and `output_class`");
    }
    if (k_largest && *k_largest < 1) {
      return invalid_argument("k_largest is {}; at least 1 is needed", *k_largest);
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& mask = sample.input(0);
    RandomStream stream = sample.random();
    FOREBAY_ASSIGN_OR_RETURN(const float probability, foreground_prob.get(sample));
    ClassChances chances;
    FOREBAY_ASSIGN_OR_RETURN(const int64_t nothing, classes_of(sample, &chances));
    FOREBAY_RETURN_IF_ERROR(check_mask(mask));
    Blob chosen = whole(mask.shape(), nothing);
    if (stream.uniform_double() < probability) {
      FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers least, threshold_of(sample));
      const memory::ScratchVector<Blob> objects = find_blobs(mask, nothing);
      const ObjectDraw draw(objects, mask.shape().rank(), least, k_largest);
      const bool names_classes = classes.is_given() || class_weights.is_given();
      const std::optional<Blob> drawn = ignore_class    ? draw.any(stream)
                                        : names_classes ? draw.by_class(chances, stream)
                                                        : draw.by_class(stream);
      chosen = drawn.value_or(chosen);
    }
    return write(sample, chosen);
  }

 private:
  static Blob whole(const Shape& shape, int64_t label) {
    Blob all;
    all.label = label;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      all.high[static_cast<size_t>(axis)] = static_cast<int32_t>(shape[axis]);
    }
    return all;
  }

  /// Sets the classes that are named, with their weights; returns the label of the background.
  Result<int64_t> classes_of(const Sample& sample, ClassChances* chances) const {
    FOREBAY_ASSIGN_OR_RETURN(const int64_t given, background.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers labels, classes.values(sample));
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats weights, class_weights.values(sample));
    if (classes.is_given() && class_weights.is_given() && labels.size() != weights.size()) {
      return invalid_argument("{} `classes` have {} `class_weights`", labels.size(), weights.size());
    }
    const size_t count = std::max(labels.size(), weights.size());
    int64_t label = 0;
    for (size_t i = 0; i < count; ++i, ++label) {
      label += label == given ? 1 : 0;  // classes without labels are numbered, the background left out
      const float weight = class_weights.is_given() ? weights[i] : 1;
      if (!(weight >= 0) || weight > std::numeric_limits<float>::max()) {
        return invalid_argument("class_weights holds {}", weight);
      }
      chances->push_back({classes.is_given() ? labels[i] : label, weight});
    }
    return background_apart_from(given, labels);
  }

  Result<int64_t> background_apart_from(int64_t given, std::span<const int64_t> labels) const {
    if (std::ranges::find(labels, given) == labels.end()) {
      return given;
    }
    if (background.is_given()) {
      return invalid_argument("class {} is the background's label", given);
    }
    const int64_t least = *std::ranges::min_element(labels);
    if (least > std::numeric_limits<int32_t>::min()) {
      return least - 1;
    }
    int64_t free = std::numeric_limits<int32_t>::max();
    while (std::ranges::find(labels, free) != labels.end()) {
      --free;
    }
    return free;
  }

  /// One for all axes, one each, or none.
  Result<ArgumentIntegers> threshold_of(const Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(ArgumentIntegers least, threshold.values(sample));
    const int rank = sample.input(0).shape().rank();
    if (threshold.is_given() && least.size() != 1 && std::cmp_not_equal(least.size(), rank)) {
      return invalid_argument("threshold has {} extents for a mask of {} axes", least.size(), rank);
    }
    return least;
  }

  Status write(Sample& sample, const Blob& blob) const {
    const int rank = sample.input(0).shape().rank();
    const bool is_joined = format == "box";
    const TensorSpec spec{{is_joined ? 2 * rank : rank}, DType::kInt32, {}};
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView first, sample.output(0, spec));
    int32_t* second = first.as<int32_t>() + rank;
    if (!is_joined) {
      FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView apart, sample.output(1, spec));
      second = apart.as<int32_t>();
    }
    for (int axis = 0; axis < rank; ++axis) {
      const auto place = static_cast<size_t>(axis);
      first.as<int32_t>()[axis] = blob.low[place];
      second[axis] = blob.high[place] - (format == "anchor_shape" ? blob.low[place] : 0);
    }
    if (output_class) {
      FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView label,
                               sample.output(is_joined ? 1 : 2, {{}, DType::kInt32, {}}));
      *label.as<int32_t>() = static_cast<int32_t>(blob.label);
    }
    return ok_status();
  }
};

}  // namespace

OperatorSpec segmentation_random_object_bbox() {
  using Op = RandomObjectBox;
  return describe<Op>("segmentation.random_object_bbox", "Draws an object of a mask and gives its box.")
      .input("mask", "Integers or bools: the label of each element.")
      .param("ignore_class", &Op::ignore_class,
             "Whether every object is equally likely, whatever its class; else a class is drawn first.")
      .param("output_class", &Op::output_class,
             "Whether there is one more output: the object's label, or the background's.")
      .param("foreground_prob", &Op::foreground_prob, "How likely an object is drawn, not all of the mask.")
      .param("classes", &Op::classes, "The labels of objects; all but the background when not given.")
      .param("background", &Op::background,
             "The label of what is no object; when not given 0, or less than `classes` if 0 is among them.")
      .param("class_weights", &Op::class_weights,
             "How likely each of `classes` is, next to the others; without `classes`, of 1, 2, ...")
      .param("k_largest", &Op::k_largest, "Of so many of the largest boxes one is drawn.")
      .param("threshold", &Op::threshold, "The least extents of a box, for each axis or one for all.")
      .param("format", &Op::format,
             "`anchor_shape`: where the box begins, and its extents; `start_end`: where it begins and ends; "
             "`box`: the latter in one output.")
      .choices({"anchor_shape", "start_end", "box"})
      .ignored("cache_objects", false)
      .outputs(
          "INT32. Objects are elements of one label that are neighbours on an axis, one after the other. "
          "Where "
          "no object is large enough, the box is the whole mask.")
      .matches("DALI segmentation.random_object_bbox; other numbers, the same distribution")
      .random()
      .build();
}

}  // namespace forebay::operators
