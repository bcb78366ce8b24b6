#include "forebay/operators/arithmetic/filled.h"

#include "forebay/kernels/generic/cast.h"
#include "forebay/kernels/generic/fill.h"
#include "forebay/kernels/generic/strided.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::operators {
namespace {

/// Where each axis of `shape` steps in a dense tensor of `value` that broadcasts to it.
Result<kernels::Strides> steps_of(const Shape& value, const Shape& shape) {
  const kernels::Strides dense = kernels::dense_strides(value);
  kernels::Strides steps{};
  bool fits = true;
  for (int axis = 0; axis < value.rank(); ++axis) {
    const int to = axis + shape.rank() - value.rank();
    fits = fits && (value[axis] == 1 || (to >= 0 && value[axis] == shape[to]));
    if (to >= 0 && value[axis] != 1) {
      steps[to] = dense[axis];
    }
  }
  if (!fits) {
    return invalid_argument("a value of {} cannot be broadcast to {}", value.to_string(), shape.to_string());
  }
  return steps;
}

}  // namespace

Result<TensorSpec> FilledShape::spec(const Sample& sample, DType dtype) const {
  FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers extents, shape.values(sample));
  if (extents.size() > tensor::kMaxRank) {
    return invalid_argument("a shape with {} axes; there can be {}", extents.size(), tensor::kMaxRank);
  }
  const TensorSpec spec{Shape(extents), dtype, Layout(layout.names)};
  if (!spec.shape.checked_volume()) {
    return invalid_argument("no tensor can have the shape {}", spec.shape.to_string());
  }
  if (!spec.layout.empty() && spec.layout.size() != spec.shape.rank()) {
    return invalid_argument("the layout '{}' does not fit the shape {}", layout.names,
                            spec.shape.to_string());
  }
  return spec;
}

Status fill_with(Sample& sample, const TensorSpec& spec, float value) {
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
  kernels::fill_line(spec.dtype, out.data, 0, 1, out.volume(), value);
  return ok_status();
}

Status fill_with(Sample& sample, const TensorSpec& spec, const Tensor& value) {
  FOREBAY_ASSIGN_OR_RETURN(const kernels::Strides steps, steps_of(value.shape(), spec.shape));
  const auto element_bytes = static_cast<int>(tensor::size_of(spec.dtype));
  memory::ScratchVector<std::byte> content(static_cast<size_t>(value.volume() * element_bytes));
  FOREBAY_RETURN_IF_ERROR(kernels::cast(value.view(), {content.data(), {value.shape(), spec.dtype, {}}}));
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
  kernels::copy_strided(spec.shape, element_bytes, content.data(), steps, out.data,
                        kernels::dense_strides(spec.shape));
  return ok_status();
}

}  // namespace forebay::operators
