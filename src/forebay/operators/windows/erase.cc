// erase: fills boxes with a value.
#include <algorithm>
#include <cmath>

#include "forebay/kernels/generic/fill.h"
#include "forebay/memory/copy.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/axes.h"

namespace forebay::operators {
namespace {

/// Half-open; one extent per axis of the tensor.
struct Box {
  Shape begin;
  Shape end;
};

struct Erase {
  Arg<std::vector<float>> anchor;
  Arg<std::vector<float>> shape;
  std::vector<int64_t> axes = {1, 0};
  std::string axis_names = "HW";
  bool centered_anchor = false;
  bool normalized = false;
  bool normalized_anchor = false;
  bool normalized_shape = false;
  Arg<std::vector<float>> fill_value = std::vector<float>{0};

  Status prepare(const Arguments& arguments) {
    uses_numbers_ = arguments.constants.contains("axes") && !arguments.constants.contains("axis_names");
    if (normalized && !arguments.constants.contains("normalized_anchor")) {
      normalized_anchor = true;
    }
    if (normalized && !arguments.constants.contains("normalized_shape")) {
      normalized_shape = true;
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<Box> boxes, boxes_of(sample));
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats fill, fill_value.values(sample));
    const kernels::FillValues filling(fill);
    const int channel_axis = in.layout().find('C');
    FOREBAY_RETURN_IF_ERROR(filling.check("fill_value", in.spec(), channel_axis));
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, in.spec()));
    memory::copy(out.data, in.data(), in.size_bytes());
    for (const Box& box : boxes) {
      kernels::fill_box(out, box.begin, box.end, filling, channel_axis);
    }
    return ok_status();
  }

 private:
  Result<std::vector<Box>> boxes_of(const Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<int> at, uses_numbers_ ? resolved_axes(axes, in.shape().rank())
                                                                      : named_axes(axis_names, in.layout()));
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats anchors, anchor.values(sample));
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats sizes, shape.values(sample));
    if (anchors.size() != sizes.size() || at.empty() || anchors.size() % at.size() != 0) {
      return invalid_argument("anchor has {} numbers and shape {}; give {} each for every box",
                              anchors.size(), sizes.size(), at.size());
    }
    std::vector<Box> boxes;
    for (size_t first = 0; first < anchors.size(); first += at.size()) {
      Box box{in.shape(), in.shape()};
      for (int axis = 0; axis < in.shape().rank(); ++axis) {
        box.begin[axis] = 0;
      }
      for (size_t i = 0; i < at.size(); ++i) {
        const int axis = at[i];
        const auto extent = static_cast<float>(in.shape()[axis]);
        const float size = sizes[first + i] * (normalized_shape ? extent : 1.0f);
        float begin = anchors[first + i] * (normalized_anchor ? extent : 1.0f);
        begin -= centered_anchor ? size / 2 : 0.0f;
        box.begin[axis] = place(begin, extent);
        box.end[axis] = place(begin + size, extent);
      }
      boxes.push_back(box);
    }
    return boxes;
  }

  static int64_t place(float at, float extent) {
    return at == at ? static_cast<int64_t>(std::clamp(std::floor(at), 0.0f, extent)) : 0;
  }

  bool uses_numbers_ = false;
};

}  // namespace

OperatorSpec erase() {
  return describe<Erase>("erase", "Fills boxes with a value.")
      .input("data", "Any tensor.")
      .param("anchor", &Erase::anchor, "Where the boxes begin: a number for each axis named, box after box.")
      .param("shape", &Erase::shape, "Extents of the boxes, in the same order.")
      .param("axes", &Erase::axes, "The axes that anchor and shape speak of.")
      .param("axis_names", &Erase::axis_names, "The same by their letters in the layout.")
      .param("centered_anchor", &Erase::centered_anchor, "Whether the anchor is the middle of its box.")
      .param("normalized", &Erase::normalized, "Whether anchor and shape are parts of the input's extents.")
      .param("normalized_anchor", &Erase::normalized_anchor, "The same for the anchor only.")
      .param("normalized_shape", &Erase::normalized_shape, "The same for the shape only.")
      .param("fill_value", &Erase::fill_value,
             "The value, or one for each channel, saturated to the type. Without any: 0.")
      .any_number()
      .outputs("The input with its boxes filled. What lies outside of the input is left out.")
      .matches("DALI erase; there, fill values wrap around instead of saturating")
      .build();
}

}  // namespace forebay::operators
