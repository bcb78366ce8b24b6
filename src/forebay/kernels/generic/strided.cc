#include "forebay/kernels/generic/strided.h"

#include <algorithm>

#include "forebay/memory/copy.h"

namespace forebay::kernels {
namespace {

struct Axis {
  int64_t extent;
  int64_t in_stride;
  int64_t out_stride;
};

// The axes that matter: extents of 1 dropped, neighbours that are dense in both joined; the largest output
// stride first.
struct Walk {
  std::array<Axis, tensor::kMaxRank> axes;
  int rank = 0;
  bool is_empty = false;

  Walk(const tensor::Shape& shape, const Strides& in, const Strides& out) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      is_empty |= shape[axis] == 0;
      if (shape[axis] != 1) {
        axes[rank++] = {shape[axis], in[axis], out[axis]};
      }
    }
    int kept = 0;
    for (int axis = 1; axis < rank; ++axis) {
      Axis& outer = axes[kept];
      const Axis& inner = axes[axis];
      if (outer.in_stride == inner.in_stride * inner.extent &&
          outer.out_stride == inner.out_stride * inner.extent) {
        outer = {outer.extent * inner.extent, inner.in_stride, inner.out_stride};
      } else {
        axes[++kept] = inner;
      }
    }
    rank = rank == 0 ? 0 : kept + 1;
  }
};

constexpr int64_t kTile = 16;

// The two innermost axes, where the input is dense along the other one: in tiles, so that both sides stay in
// cache.
template <class T>
void copy_tiled(const Axis& rows, const Axis& columns, const T* in, T* out) {
  for (int64_t r = 0; r < rows.extent; r += kTile) {
    const int64_t row_end = std::min(rows.extent, r + kTile);
    for (int64_t c = 0; c < columns.extent; c += kTile) {
      const int64_t column_end = std::min(columns.extent, c + kTile);
      for (int64_t i = r; i < row_end; ++i) {
        for (int64_t j = c; j < column_end; ++j) {
          out[i * rows.out_stride + j * columns.out_stride] = in[i * rows.in_stride + j * columns.in_stride];
        }
      }
    }
  }
}

template <class T>
void copy_line(const Axis& axis, const T* in, T* out) {
  if (axis.in_stride == 1 && axis.out_stride == 1 && axis.extent * static_cast<int64_t>(sizeof(T)) >= 64) {
    memory::copy(out, in, static_cast<size_t>(axis.extent) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < axis.extent; ++i) {
    out[i * axis.out_stride] = in[i * axis.in_stride];
  }
}

template <class T>
void copy_axes(const Walk& walk, int first, const T* in, T* out) {
  const int left = walk.rank - first;
  if (left == 0) {
    *out = *in;
  } else if (left == 1) {
    copy_line(walk.axes[first], in, out);
  } else if (left == 2 && walk.axes[first + 1].in_stride != 1) {
    copy_tiled(walk.axes[first], walk.axes[first + 1], in, out);
  } else {
    const Axis& axis = walk.axes[first];
    for (int64_t i = 0; i < axis.extent; ++i) {
      copy_axes(walk, first + 1, in + i * axis.in_stride, out + i * axis.out_stride);
    }
  }
}

template <class F>
void with_element(int element_bytes, F&& function) {
  switch (element_bytes) {
    case 1:
      return function(uint8_t{});
    case 2:
      return function(uint16_t{});
    case 4:
      return function(uint32_t{});
    default:
      return function(uint64_t{});
  }
}

}  // namespace

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
  const Walk walk(shape, in_strides, out_strides);
  if (!walk.is_empty) {
    with_element(element_bytes, [&](auto element) {
      using T = decltype(element);
      copy_axes(walk, 0, static_cast<const T*>(in), static_cast<T*>(out));
    });
  }
}

void fill_strided(const tensor::Shape& shape, int element_bytes, const void* value, void* out,
                  const Strides& out_strides) {
  const Walk walk(shape, Strides{}, out_strides);
  if (!walk.is_empty) {
    with_element(element_bytes, [&](auto element) {
      using T = decltype(element);
      copy_axes(walk, 0, static_cast<const T*>(value), static_cast<T*>(out));
    });
  }
}

}  // namespace forebay::kernels
