#include "forebay/operators/shape/new_shape.h"

#include <algorithm>
#include <cmath>

namespace forebay::operators {
namespace {

constexpr int64_t kRest = -1;

Status check_number_of_axes(size_t axes) {
  return axes <= tensor::kMaxRank
             ? ok_status()
             : invalid_argument("a shape with {} axes; there can be {}", axes, tensor::kMaxRank);
}

/// As they are, -1 among them.
Result<Shape> shape_of(std::span<const int64_t> extents) {
  FOREBAY_RETURN_IF_ERROR(check_number_of_axes(extents.size()));
  return Shape{extents};
}

/// Replaces an extent of -1 by what the other extents leave over.
Result<Shape> with_rest(Shape shape, int64_t volume) {
  int rest_axis = -1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] >= 0) {
      continue;
    }
    if (rest_axis >= 0) {
      return invalid_argument("only one extent may be negative, in {}", shape.to_string());
    }
    rest_axis = axis;
  }
  if (rest_axis >= 0) {
    shape[rest_axis] = 1;
    const auto others = shape.checked_volume();
    shape[rest_axis] = others && *others > 0 ? volume / *others : 0;
  }
  return shape;
}

}  // namespace

Status NewShape::check(const Arguments& arguments, bool needs_change) const {
  const bool has_shape_input = arguments.num_inputs > 1;
  if (int{has_shape_input} + int{shape.is_given()} + int{rel_shape.is_given()} > 1) {
    return invalid_argument("give the new shape once: as input 1, as `shape` or as `rel_shape`");
  }
  if (src_dims.is_given() && (has_shape_input || shape.is_given())) {
    return invalid_argument("src_dims goes with rel_shape or stands alone");
  }
  const bool has_change =
      has_shape_input || shape.is_given() || rel_shape.is_given() || src_dims.is_given() || layout;
  if (needs_change && !has_change) {
    return invalid_argument("neither a new shape nor a new layout is given");
  }
  return ok_status();
}

Result<Shape> NewShape::relative(const Sample& sample) const {
  const Shape& in = sample.input(0).shape();
  FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats factors, rel_shape.values(sample));
  FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers axes, src_dims.values(sample));
  if (rel_shape.is_given() && src_dims.is_given() && axes.size() != factors.size()) {
    return invalid_argument("rel_shape has {} entries and src_dims {}", factors.size(), axes.size());
  }
  const size_t count = std::max(factors.size(), axes.size());
  FOREBAY_RETURN_IF_ERROR(check_number_of_axes(count));
  Shape extents;
  for (size_t i = 0; i < count; ++i) {
    const float factor = factors.empty() ? 1.0f : factors[i];
    const int64_t axis = axes.empty() ? static_cast<int64_t>(i) : axes[i];
    if (factor < 0) {
      extents.push_back(kRest);
      continue;
    }
    const bool is_new = src_dims.is_given() && axis == -1;
    if (!is_new && (axis < 0 || axis >= in.rank())) {
      return out_of_range("entry {} of the new shape is taken from axis {} of an input of {}", i, axis,
                          sample.input(0).spec().to_string());
    }
    const double extent =
        std::round(static_cast<double>(factor) * (is_new ? 1.0 : static_cast<double>(in[axis])));
    if (!(extent < 9.0e18)) {
      return invalid_argument("rel_shape asks for an extent of {}", extent);
    }
    extents.push_back(static_cast<int64_t>(extent));
  }
  return extents;
}

Result<Shape> NewShape::requested(const Sample& sample) const {
  if (sample.num_inputs() > 1) {
    const Tensor& given = sample.input(1);
    if (!tensor::is_integer(given.dtype())) {
      return invalid_argument("a shape must be integers, not {}", given.spec().to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers extents, ArgumentIntegers::of(given));
    return shape_of(extents);
  }
  if (shape.is_given()) {
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers extents, shape.values(sample));
    return shape_of(extents);
  }
  if (rel_shape.is_given() || src_dims.is_given()) {
    return relative(sample);
  }
  return sample.input(0).shape();
}

Result<Shape> NewShape::extents(const Sample& sample, DType dtype) const {
  const Tensor& in = sample.input(0);
  const size_t element_bytes = tensor::size_of(dtype);
  FOREBAY_ASSIGN_OR_RETURN(Shape wanted, requested(sample));
  const bool is_own_shape =
      sample.num_inputs() == 1 && !shape.is_given() && !rel_shape.is_given() && !src_dims.is_given();
  if (is_own_shape && dtype != in.dtype()) {
    const bool is_one = wanted.rank() == 0;
    const size_t row_bytes = is_one ? 0 : static_cast<size_t>(wanted.back()) * tensor::size_of(in.dtype());
    if (is_one || row_bytes % element_bytes != 0) {
      return invalid_argument(
          "the innermost axis of {} is not a multiple of the {} bytes of {}; give a shape",
          in.spec().to_string(), element_bytes, tensor::name_of(dtype));
    }
    wanted[wanted.rank() - 1] = static_cast<int64_t>(row_bytes / element_bytes);
  }
  return with_rest(wanted, static_cast<int64_t>(in.size_bytes() / element_bytes));
}

Result<Layout> NewShape::output_layout(const Tensor& in, const Shape& out) const {
  if (!layout) {
    return in.layout().size() == out.rank() ? in.layout() : Layout();
  }
  if (!layout->names.empty() && static_cast<int>(layout->names.size()) != out.rank()) {
    return invalid_argument("the layout '{}' does not fit the shape {}", layout->names, out.to_string());
  }
  return Layout(layout->names);
}

Status NewShape::apply(Sample& sample, DType dtype) const {
  const Tensor& in = sample.input(0);
  const DType out_dtype = dtype == DType::kNone ? in.dtype() : dtype;
  FOREBAY_ASSIGN_OR_RETURN(const Shape out, extents(sample, out_dtype));
  const auto volume = out.checked_volume();
  if (!volume || static_cast<uint64_t>(*volume) * tensor::size_of(out_dtype) != in.size_bytes()) {
    return invalid_argument(
        "{} cannot take the shape {} of {}: the volume differs, the number of bytes would change",
        in.spec().to_string(), out.to_string(), tensor::name_of(out_dtype));
  }
  FOREBAY_ASSIGN_OR_RETURN(const Layout out_layout, output_layout(in, out));
  FOREBAY_ASSIGN_OR_RETURN(Tensor seen, in.reinterpreted({out, out_dtype, out_layout}));
  sample.forward(0, std::move(seen));
  return ok_status();
}

}  // namespace forebay::operators
