#include "forebay/kernels/generic/strided.h"

#include "forebay/tensor/strided_copy.h"

namespace forebay::kernels {

Strides dense_strides(const tensor::Shape& shape) {
  Strides strides{};
  int64_t stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

void copy_strided(const tensor::Shape& shape, int element_bytes, const void* in, const Strides& in_strides,
                  void* out, const Strides& out_strides) {
  std::array<tensor::StridedAxis, tensor::kMaxRank> axes;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    axes[axis] = {shape[axis], in_strides[axis] * element_bytes, out_strides[axis] * element_bytes};
  }
  tensor::copy_strided(std::span(axes).first(shape.rank()), element_bytes, in, out);
}

void fill_strided(const tensor::Shape& shape, int element_bytes, const void* value, void* out,
                  const Strides& out_strides) {
  copy_strided(shape, element_bytes, value, Strides{}, out, out_strides);
}

}  // namespace forebay::kernels
