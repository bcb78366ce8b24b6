// erase: fills boxes with a value.
#include <algorithm>
#include <cmath>

#include "forebay/kernels/generic/convert.h"
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
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<float> fill, fill_value.get(sample));
    const int channel_axis = in.layout().find('C');
    if (fill.empty() || (fill.size() > 1 && (channel_axis < 0 || in.shape()[channel_axis] !=
                                                                     static_cast<int64_t>(fill.size())))) {
      return invalid_argument("fill_value has {} values for an input of {}; give one, or one per channel",
                              fill.size(), in.spec().to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, in.spec()));
    memory::copy(out.data, in.data(), in.size_bytes());
    for (const Box& box : boxes) {
      clear(out, box, fill, fill.size() > 1 ? channel_axis : 0);
    }
    return ok_status();
  }

 private:
  Result<std::vector<Box>> boxes_of(const Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<int> at, uses_numbers_ ? resolved_axes(axes, in.shape().rank())
                                                                      : named_axes(axis_names, in.layout()));
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<float> anchors, anchor.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<float> sizes, shape.get(sample));
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

  static void clear(const MutableTensorView& out, const Box& box, std::span<const float> fill,
                    int fill_axis) {
    const int rank = out.shape().rank();
    if (rank == 0) {
      return;
    }
    int64_t rows = 1;
    for (int axis = 0; axis < rank - 1; ++axis) {
      rows *= std::max<int64_t>(0, box.end[axis] - box.begin[axis]);
    }
    const int64_t width = box.end[rank - 1] - box.begin[rank - 1];
    tensor::visit_dtype(out.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      std::vector<T> values;
      for (const float value : fill) {
        values.push_back(kernels::convert_saturated<T>(value));
      }
      for (int64_t row = 0; row < rows; ++row) {
        // Derives the row's coordinates from its number and the extents of the box.
        int64_t rest = row;
        int64_t offset = box.begin[rank - 1];
        int64_t fill_index = 0;
        int64_t stride = out.shape().back();
        for (int axis = rank - 2; axis >= 0; --axis) {
          const int64_t extent = box.end[axis] - box.begin[axis];
          const int64_t index = box.begin[axis] + rest % extent;
          rest /= extent;
          offset += index * stride;
          stride *= out.shape()[axis];
          fill_index = axis == fill_axis ? index : fill_index;
        }
        T* to = out.as<T>() + offset;
        for (int64_t i = 0; i < width; ++i) {
          const int64_t index = fill_axis == rank - 1 ? box.begin[rank - 1] + i : fill_index;
          to[i] = values[values.size() == 1 ? 0 : index];
        }
      }
    });
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
      .param("fill_value", &Erase::fill_value, "The value, or one for each channel, saturated to the type.")
      .outputs("The input with its boxes filled. What lies outside of the input is left out.")
      .matches("DALI erase; there, fill values wrap around instead of saturating")
      .build();
}

}  // namespace forebay::operators
