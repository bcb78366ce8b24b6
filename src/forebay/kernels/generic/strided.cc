#include "forebay/kernels/generic/strided.h"

#include <algorithm>

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

tensor::Shape join_axes(const tensor::Shape& shape, std::span<Strides> all) {
  tensor::Shape joined;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) {
      continue;
    }
    const int last = joined.rank() - 1;
    const bool joins = last >= 0 && std::ranges::all_of(all, [&](const Strides& strides) {
                         return strides[last] == strides[axis] * shape[axis];
                       });
    if (joins) {
      joined[last] *= shape[axis];
    } else {
      joined.push_back(shape[axis]);
    }
    for (Strides& strides : all) {  // what is overwritten is behind
      strides[joined.rank() - 1] = strides[axis];
    }
  }
  return joined;
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
