#include "forebay/ndarray/nn/spatial.h"

#include <algorithm>

namespace forebay::ndarray {

using kernels::Extents;
using tensor::Shape;

Result<Extents> extents_of(const SpatialNumbers& numbers, size_t rank, int64_t missing,
                           std::string_view what) {
  Extents extents{missing, missing, missing};
  if (numbers.empty()) {
    return extents;
  }
  if (numbers.size() != rank) {
    return invalid_argument("{} has {} numbers for {} spatial dimensions", what, numbers.size(), rank);
  }
  std::copy(numbers.begin(), numbers.end(), extents.begin() + static_cast<int64_t>(3 - rank));
  return extents;
}

Extents spatial_extents(const Shape& data) {
  Extents extents{1, 1, 1};
  std::copy(data.begin() + 2, data.end(), extents.end() - (data.rank() - 2));
  return extents;
}

Shape batch_shape(int64_t batch, int64_t channels, const Extents& extents, size_t rank) {
  Shape shape{batch, channels};
  for (size_t i = 3 - rank; i < 3; ++i) {
    shape.push_back(extents[i]);
  }
  return shape;
}

}  // namespace forebay::ndarray
