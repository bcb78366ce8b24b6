#include "forebay/kernels/generic/rearrange.h"

#include "forebay/kernels/generic/strided.h"

namespace forebay::kernels {
namespace {

using tensor::MutableTensorView;
using tensor::Shape;
using tensor::TensorView;

int bytes_of(const TensorView& view) {
  return static_cast<int>(tensor::size_of(view.dtype()));
}

const std::byte* at_offset(const void* data, int64_t bytes) {
  return static_cast<const std::byte*>(data) + bytes;
}

}  // namespace

Status flip(const TensorView& in, std::span<const bool> axes, const MutableTensorView& out) {
  const Shape& shape = in.shape();
  if (!(in.spec.shape == out.spec.shape) || in.dtype() != out.dtype() ||
      static_cast<int>(axes.size()) != shape.rank()) {
    return invalid_argument("flip: {} axes of {} {} to {} {}", axes.size(), tensor::name_of(in.dtype()),
                            shape.to_string(), tensor::name_of(out.dtype()), out.shape().to_string());
  }
  if (in.volume() == 0) {
    return ok_status();
  }
  const Strides dense = dense_strides(shape);
  Strides strides = dense;
  int64_t offset = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axes[axis]) {
      offset += (shape[axis] - 1) * dense[axis];
      strides[axis] = -dense[axis];
    }
  }
  copy_strided(shape, bytes_of(in), at_offset(in.data, offset * bytes_of(in)), strides, out.data, dense);
  return ok_status();
}

Status transpose(const TensorView& in, std::span<const int> permutation, const MutableTensorView& out) {
  const int rank = in.shape().rank();
  bool fits =
      static_cast<int>(permutation.size()) == rank && out.shape().rank() == rank && in.dtype() == out.dtype();
  const Strides dense = dense_strides(in.shape());
  Strides strides{};
  unsigned seen = 0;
  for (int axis = 0; fits && axis < rank; ++axis) {
    const int from = permutation[axis];
    fits = from >= 0 && from < rank && (seen & (1u << from)) == 0 && out.shape()[axis] == in.shape()[from];
    if (fits) {
      seen |= 1u << from;
      strides[axis] = dense[from];
    }
  }
  if (!fits) {
    return invalid_argument("transpose: the permutation does not take {} {} to {} {}",
                            tensor::name_of(in.dtype()), in.shape().to_string(), tensor::name_of(out.dtype()),
                            out.shape().to_string());
  }
  copy_strided(out.shape(), bytes_of(in), in.data, strides, out.data, dense_strides(out.shape()));
  return ok_status();
}

Status concatenate(std::span<const TensorView> inputs, int axis, const MutableTensorView& out) {
  const Shape& shape = out.shape();
  if (axis < 0 || axis >= shape.rank()) {
    return invalid_argument("concatenate: no axis {} in {}", axis, shape.to_string());
  }
  int64_t total = 0;
  for (const TensorView& in : inputs) {
    Shape expected = shape;
    expected[axis] = in.shape().rank() == shape.rank() ? in.shape()[axis] : -1;
    if (!(in.shape() == expected) || in.dtype() != out.dtype()) {
      return invalid_argument("concatenate: {} {} does not fit {} {} on axis {}", tensor::name_of(in.dtype()),
                              in.shape().to_string(), tensor::name_of(out.dtype()), shape.to_string(), axis);
    }
    total += in.shape()[axis];
  }
  if (total != shape[axis]) {
    return invalid_argument("concatenate: the inputs have {} on axis {}, the output {}", total, axis,
                            shape[axis]);
  }
  const Strides strides = dense_strides(shape);
  auto* target = static_cast<std::byte*>(out.data);
  for (const TensorView& in : inputs) {
    copy_strided(in.shape(), bytes_of(in), in.data, dense_strides(in.shape()), target, strides);
    target += in.shape()[axis] * strides[axis] * bytes_of(in);
  }
  return ok_status();
}

Status stack(std::span<const TensorView> inputs, int axis, const MutableTensorView& out) {
  const Shape& shape = out.shape();
  if (axis < 0 || axis >= shape.rank() || shape[axis] != static_cast<int64_t>(inputs.size())) {
    return invalid_argument("stack: {} inputs do not give {} on axis {}", inputs.size(), shape.to_string(),
                            axis);
  }
  Shape single;
  Strides strides{};
  const Strides dense = dense_strides(shape);
  for (int i = 0; i < shape.rank(); ++i) {
    if (i != axis) {
      strides[single.rank()] = dense[i];
      single.push_back(shape[i]);
    }
  }
  auto* target = static_cast<std::byte*>(out.data);
  for (const TensorView& in : inputs) {
    if (!(in.shape() == single) || in.dtype() != out.dtype()) {
      return invalid_argument("stack: {} {} among {} {}", tensor::name_of(in.dtype()), in.shape().to_string(),
                              tensor::name_of(out.dtype()), single.to_string());
    }
    copy_strided(single, bytes_of(in), in.data, dense_strides(single), target, strides);
    target += dense[axis] * bytes_of(in);
  }
  return ok_status();
}

}  // namespace forebay::kernels
