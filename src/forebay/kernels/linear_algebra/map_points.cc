#include "forebay/kernels/linear_algebra/map_points.h"

#include "forebay/kernels/generic/convert.h"

namespace forebay::kernels {
namespace {

float element_of(const PointMap& map, int64_t row, int64_t column) {
  if (map.m.size() <= 1) {
    return row != column ? 0 : (map.m.empty() ? 1 : map.m[0]);
  }
  return map.m[static_cast<size_t>(row * map.m_stride + column)];
}

float shift_of(const PointMap& map, int64_t row) {
  return map.t.empty() ? 0 : map.t[map.t.size() == 1 ? 0 : static_cast<size_t>(row * map.t_stride)];
}

template <class In, class Out>
void map_point(const In* from, int64_t columns, const PointMap& map, int64_t rows, Out* to) {
  for (int64_t row = 0; row < rows; ++row) {
    float sum = shift_of(map, row);
    for (int64_t column = 0; column < columns; ++column) {
      sum += element_of(map, row, column) * static_cast<float>(from[column]);
    }
    to[row] = convert_saturated<Out>(sum);
  }
}

}  // namespace

void map_points(const tensor::TensorView& points, const PointMap& map, const tensor::MutableTensorView& out) {
  const int64_t columns = points.shape()[1];
  const int64_t rows = out.shape()[1];
  tensor::visit_dtype(points.dtype(), [&](auto from) {
    tensor::visit_dtype(out.dtype(), [&](auto to) {
      using In = typename decltype(from)::type;
      using Out = typename decltype(to)::type;
      for (int64_t point = 0; point < points.shape()[0]; ++point) {
        map_point(points.as<In>() + point * columns, columns, map, rows, out.as<Out>() + point * rows);
      }
    });
  });
}

}  // namespace forebay::kernels
