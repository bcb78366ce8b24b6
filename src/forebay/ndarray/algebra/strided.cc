#include "forebay/ndarray/algebra/strided.h"

#include <algorithm>

#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/algebra/shaping.h"
#include "forebay/ndarray/autograd.h"
#include "forebay/ndarray/copying.h"
#include "forebay/ndarray/sharing.h"

namespace forebay::ndarray {
namespace {

using kernels::Strides;
using tensor::Shape;

constexpr int64_t kMovedAShare = int64_t{1} << 17;

/// Copies between strides in pieces of the first axis that is long enough to be divided.
Status copy_in_pieces(const Shape& shape, int item, const std::byte* in, const Strides& in_strides,
                      std::byte* out, const Strides& out_strides) {
  int axis = 0;
  while (axis < shape.rank() && shape[axis] <= 1) {
    ++axis;
  }
  const int64_t volume = shape.volume();
  if (volume <= kMovedAShare || axis == shape.rank()) {
    kernels::copy_strided(shape, item, in, in_strides, out, out_strides);
    return ok_status();
  }
  const auto place = static_cast<size_t>(axis);
  return share(shape[axis], places_a_share(volume / shape[axis], kMovedAShare),
               [&](int64_t first, int64_t last) {
                 Shape part = shape;
                 part[axis] = last - first;
                 kernels::copy_strided(part, item, in + first * in_strides[place] * item, in_strides,
                                       out + first * out_strides[place] * item, out_strides);
               });
}

/// The first and last element of a layout that has any.
std::pair<int64_t, int64_t> ends_of(const StridedLayout& layout) {
  int64_t least = layout.offset;
  int64_t greatest = layout.offset;
  for (int axis = 0; axis < layout.shape.rank(); ++axis) {
    const int64_t reach = (layout.shape[axis] - 1) * layout.strides[static_cast<size_t>(axis)];
    (reach < 0 ? least : greatest) += reach;
  }
  return {least, greatest};
}

Status check_within(const StridedLayout& layout, int64_t volume) {
  for (int axis = 0; axis < layout.shape.rank(); ++axis) {
    if (layout.shape[axis] <= 0) {
      return layout.shape[axis] == 0 ? ok_status() : invalid_argument("the extent {}", layout.shape[axis]);
    }
  }
  const auto [least, greatest] = ends_of(layout);
  if (least < 0 || greatest >= volume) {
    return out_of_range("elements {} to {} of {}", least, greatest, volume);
  }
  return ok_status();
}

int element_bytes(tensor::DType dtype) {
  return static_cast<int>(tensor::size_of(dtype));
}

class Strided final : public Operation {
 public:
  Strided(std::string_view name, StridedLayout layout) : name_(name), layout_(layout) {}

  std::string_view name() const override { return name_; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = false}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_RETURN_IF_ERROR(check_within(layout_, inputs[0].volume()));
    return ArraySpecs{{layout_.shape, inputs[0].dtype}};
  }

  Status run(const Operands& operands) const override {
    const tensor::TensorView& in = operands.inputs[0];
    const int item = element_bytes(in.dtype());
    return copy_in_pieces(layout_.shape, item, static_cast<const std::byte*>(in.data) + layout_.offset * item,
                          layout_.strides, static_cast<std::byte*>(operands.outputs[0].data),
                          kernels::dense_strides(layout_.shape));
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    FOREBAY_ASSIGN_OR_RETURN(
        Array gradient, place_strided(name_, request.output_gradients[0], request.input_specs[0], layout_));
    return Arrays{std::move(gradient)};
  }

 private:
  const std::string_view name_;
  const StridedLayout layout_;
};

class PlaceStrided final : public Operation {
 public:
  PlaceStrided(std::string_view name, ArraySpec spec, StridedLayout layout, double fill)
      : name_(name), spec_(std::move(spec)), layout_(layout), fill_(fill) {}

  std::string_view name() const override { return name_; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = false}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_RETURN_IF_ERROR(check_within(layout_, spec_.volume()));
    if (!(inputs[0].shape == layout_.shape) || inputs[0].dtype != spec_.dtype) {
      return invalid_argument("{} is not {}", inputs[0].to_string(), layout_.shape.to_string());
    }
    return ArraySpecs{spec_};
  }

  Status run(const Operands& operands) const override {
    const tensor::TensorView& in = operands.inputs[0];
    const int item = element_bytes(in.dtype());
    FOREBAY_RETURN_IF_ERROR(fill_view(operands.outputs[0], fill_));
    return copy_in_pieces(
        layout_.shape, item, static_cast<const std::byte*>(in.data), kernels::dense_strides(layout_.shape),
        static_cast<std::byte*>(operands.outputs[0].data) + layout_.offset * item, layout_.strides);
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    FOREBAY_ASSIGN_OR_RETURN(Array gradient, strided(name_, request.output_gradients[0], layout_));
    return Arrays{std::move(gradient)};
  }

 private:
  const std::string_view name_;
  const ArraySpec spec_;
  const StridedLayout layout_;
  const double fill_;
};

/// Inputs: the value and the target, which is also the output.
class AssignStrided final : public Operation {
 public:
  AssignStrided(StridedLayout layout, Strides value_strides)
      : layout_(layout), value_strides_(value_strides) {}

  std::string_view name() const override { return "slice_assign"; }
  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override { return ArraySpecs{inputs[1]}; }

  Status run(const Operands& operands) const override {
    const tensor::TensorView& value = operands.inputs[0];
    const int item = element_bytes(value.dtype());
    return copy_in_pieces(layout_.shape, item, static_cast<const std::byte*>(value.data), value_strides_,
                          static_cast<std::byte*>(operands.outputs[0].data) + layout_.offset * item,
                          layout_.strides);
  }

 private:
  const StridedLayout layout_;
  const Strides value_strides_;
};

Result<Strides> broadcast_strides(const Shape& from, const Shape& to) {
  // More leading extents of 1 than fit are harmless.
  const Strides dense = kernels::dense_strides(from);
  Strides strides{};
  const int surplus = from.rank() - to.rank();
  for (int axis = 0; axis < from.rank(); ++axis) {
    const int place = axis - surplus;
    const bool fits = from[axis] == 1 || (place >= 0 && from[axis] == to[place]);
    if (!fits) {
      return invalid_argument("slice_assign: {} does not broadcast to {}", from.to_string(), to.to_string());
    }
    if (place >= 0 && from[axis] != 1) {
      strides[static_cast<size_t>(place)] = dense[static_cast<size_t>(axis)];
    }
  }
  return strides;
}

}  // namespace

bool StridedLayout::is_dense() const {
  int64_t stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] != 1 && strides[static_cast<size_t>(axis)] != stride) {
      return shape.volume() == 0;
    }
    stride *= shape[axis];
  }
  return true;
}

StridedLayout layout_of(const Shape& shape) {
  return {shape, kernels::dense_strides(shape), 0};
}

Result<Array> strided(std::string_view name, const Array& array, const StridedLayout& layout) {
  return apply_one(std::make_shared<Strided>(name, layout), {&array, 1});
}

Result<Array> strided_view(std::string_view name, const Array& array, const StridedLayout& layout) {
  if (!layout.is_dense()) {
    return strided(name, array, layout);
  }
  const Status status = check_within(layout, array.volume());
  if (!status.ok()) {
    return annotate(status, name);
  }
  return view(array, layout.shape, layout.shape.volume() == 0 ? 0 : layout.offset);
}

Result<Array> place_strided(std::string_view name, const Array& array, const ArraySpec& spec,
                            const StridedLayout& layout, double fill) {
  return apply_one(std::make_shared<PlaceStrided>(name, spec, layout, fill), {&array, 1});
}

Status assign_strided(const Array& value, const Array& target, const StridedLayout& layout) {
  FOREBAY_RETURN_IF_ERROR(annotate(check_within(layout, target.volume()), "slice_assign"));
  FOREBAY_RETURN_IF_ERROR(check_not_recorded("slice_assign", {&value, 1}, target));
  FOREBAY_ASSIGN_OR_RETURN(const Strides strides, broadcast_strides(value.shape(), layout.shape));
  if (layout.shape.volume() == 0) {
    return ok_status();
  }
  Array source = value.detached();
  if (source.dtype() != target.dtype() || source.region().storage == target.region().storage) {
    FOREBAY_ASSIGN_OR_RETURN(source, cast(source, target.dtype()));
  }
  // Only the part that is written, so that autograd knows the rest to be as it was.
  const auto [first, last] = ends_of(layout);
  const auto first_byte = static_cast<size_t>(first * element_bytes(target.dtype()));
  StridedLayout within = layout;
  within.offset -= first;
  const Array inputs[] = {source, target.viewed(Shape{last - first + 1}, first_byte)};
  return enqueue(std::make_shared<AssignStrided>(within, strides), inputs, {inputs + 1, 1});
}

Result<int> checked_axis(std::string_view name, int axis, int rank) {
  const int place = axis < 0 ? axis + rank : axis;
  if (place < 0 || place >= rank) {
    return invalid_argument("{}: axis {} of an array of {} dimensions", name, axis, rank);
  }
  return place;
}

Result<Array> transpose(const Array& array, std::span<const int> axes) {
  const Shape& shape = array.shape();
  const int rank = shape.rank();
  if (!axes.empty() && static_cast<int>(axes.size()) != rank) {
    return invalid_argument("transpose: {} axes for {} dimensions", axes.size(), rank);
  }
  const StridedLayout from = layout_of(shape);
  StridedLayout layout;
  unsigned seen = 0;
  for (int i = 0; i < rank; ++i) {
    FOREBAY_ASSIGN_OR_RETURN(
        const int axis,
        checked_axis("transpose", axes.empty() ? rank - 1 - i : axes[static_cast<size_t>(i)], rank));
    if ((seen >> axis & 1U) != 0) {
      return invalid_argument("transpose: axis {} twice", axis);
    }
    seen |= 1U << axis;
    layout.strides[static_cast<size_t>(i)] = from.strides[static_cast<size_t>(axis)];
    layout.shape.push_back(shape[axis]);
  }
  return strided("transpose", array, layout);
}

Result<Array> flip(const Array& array, std::span<const int> axes) {
  StridedLayout layout = layout_of(array.shape());
  for (const int wanted : axes) {
    FOREBAY_ASSIGN_OR_RETURN(const int axis, checked_axis("flip", wanted, layout.shape.rank()));
    int64_t& stride = layout.strides[static_cast<size_t>(axis)];
    layout.offset += std::max<int64_t>(layout.shape[axis] - 1, 0) * stride;
    stride = -stride;
  }
  return strided("flip", array, layout);
}

Result<Array> slice(const Array& array, std::span<const AxisRange> ranges) {
  StridedLayout layout = layout_of(array.shape());
  if (static_cast<int>(ranges.size()) != layout.shape.rank()) {
    return invalid_argument("slice: {} ranges for {} dimensions", ranges.size(), layout.shape.rank());
  }
  for (int axis = 0; axis < layout.shape.rank(); ++axis) {
    const AxisRange& range = ranges[static_cast<size_t>(axis)];
    int64_t& stride = layout.strides[static_cast<size_t>(axis)];
    layout.offset += range.start * stride;
    stride *= range.step;
    layout.shape[axis] = range.count;
  }
  return strided("slice", array, layout);
}

}  // namespace forebay::ndarray
