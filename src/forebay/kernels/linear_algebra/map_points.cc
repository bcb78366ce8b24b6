#include "forebay/kernels/linear_algebra/map_points.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

#include "forebay/base/caught.h"
#include "forebay/kernels/generic/cast.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::MutableTensorView;
using tensor::TensorView;

constexpr int64_t kNumbersAtOnce = 1024;  // of other types, converted before and after

float element_of(const PointMap& map, int64_t row, int64_t column) {
  if (map.m.size() <= 1) {
    return row != column ? 0 : (map.m.empty() ? 1 : map.m[0]);
  }
  return map.m[static_cast<size_t>(row * map.m_stride + column)];
}

float shift_of(const PointMap& map, int64_t row) {
  return map.t.empty() ? 0 : map.t[map.t.size() == 1 ? 0 : static_cast<size_t>(row * map.t_stride)];
}

/// With the matrix in registers.
template <int kColumns, int kRows>
void map_few(const float* from, int64_t count, const PointMap& map, float* to) {
  std::array<std::array<float, kColumns>, kRows> m;
  std::array<float, kRows> t;
  for (int row = 0; row < kRows; ++row) {
    t[row] = shift_of(map, row);
    for (int column = 0; column < kColumns; ++column) {
      m[row][column] = element_of(map, row, column);
    }
  }
  for (int64_t point = 0; point < count; ++point, from += kColumns, to += kRows) {
    for (int row = 0; row < kRows; ++row) {
      float sum = t[row];
      for (int column = 0; column < kColumns; ++column) {
        sum += m[row][column] * from[column];
      }
      to[row] = sum;
    }
  }
}

void map_any(const float* from, int64_t columns, int64_t count, const PointMap& map, int64_t rows,
             float* to) {
  for (int64_t point = 0; point < count; ++point, from += columns, to += rows) {
    for (int64_t row = 0; row < rows; ++row) {
      float sum = shift_of(map, row);
      for (int64_t column = 0; column < columns; ++column) {
        sum += element_of(map, row, column) * from[column];
      }
      to[row] = sum;
    }
  }
}

void map_floats(const float* from, int64_t columns, int64_t count, const PointMap& map, int64_t rows,
                float* to) {
  if (columns == 2 && rows == 2) {
    map_few<2, 2>(from, count, map, to);
  } else if (columns == 3 && rows == 3) {
    map_few<3, 3>(from, count, map, to);
  } else if (columns == 3 && rows == 2) {
    map_few<3, 2>(from, count, map, to);
  } else {
    map_any(from, columns, count, map, rows, to);
  }
}

/// The points [first, first + count) of `view`.
template <class View>
View rows_from(const View& view, int64_t first, int64_t count) {
  View part = view;
  part.spec.shape = {count, view.shape()[1]};
  const int64_t point_bytes = view.shape()[1] * static_cast<int64_t>(tensor::size_of(view.dtype()));
  if constexpr (std::is_same_v<View, MutableTensorView>) {
    part.data = static_cast<std::byte*>(view.data) + first * point_bytes;
  } else {
    part.data = static_cast<const std::byte*>(view.data) + first * point_bytes;
  }
  return part;
}

Status map_converted(const TensorView& points, const PointMap& map, const MutableTensorView& out) {
  const int64_t columns = points.shape()[1];
  const int64_t rows = out.shape()[1];
  const int64_t count = points.shape()[0];
  const int64_t most = std::max<int64_t>(1, kNumbersAtOnce / std::max<int64_t>({1, columns, rows}));
  memory::ScratchArray<float> numbers(static_cast<size_t>(most * (columns + rows)));
  for (int64_t first = 0; first < count; first += most) {
    const int64_t some = std::min(most, count - first);
    const MutableTensorView from{numbers.data(), {{some, columns}, DType::kFloat, {}}};
    const MutableTensorView to{numbers.data() + some * columns, {{some, rows}, DType::kFloat, {}}};
    FOREBAY_RETURN_IF_ERROR(cast(rows_from(points, first, some), from));
    map_floats(from.as<float>(), columns, some, map, rows, to.as<float>());
    FOREBAY_RETURN_IF_ERROR(cast(to, rows_from(out, first, some)));
  }
  return ok_status();
}

}  // namespace

Status map_points(const TensorView& points, const PointMap& map, const MutableTensorView& out) {
  if (points.shape().rank() != 2 || out.shape().rank() != 2 || points.shape()[0] != out.shape()[0]) {
    return invalid_argument("{} cannot be mapped to {}", points.spec.to_string(), out.spec.to_string());
  }
  if (points.dtype() == DType::kFloat && out.dtype() == DType::kFloat) {
    map_floats(points.as<float>(), points.shape()[1], points.shape()[0], map, out.shape()[1],
               out.as<float>());
    return ok_status();
  }
  return caught([&] { return map_converted(points, map, out); });
}

}  // namespace forebay::kernels
