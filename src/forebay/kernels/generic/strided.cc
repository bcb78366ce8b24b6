#include "forebay/kernels/generic/strided.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "forebay/memory/copy.h"

namespace forebay::kernels {
namespace {

// Strides in bytes.
struct Axis {
  int64_t extent;
  int64_t in_stride;
  int64_t out_stride;
};

// What is copied at once.
template <int kBytes>
struct Item {
  std::byte bytes[kBytes];
};

using ItemBytes = std::integer_sequence<int, 1, 2, 3, 4, 6, 8, 12, 16>;

template <int... kBytes>
bool is_one_of(int64_t bytes, std::integer_sequence<int, kBytes...>) {
  return ((bytes == kBytes) || ...);
}

// The axes that matter: extents of 1 dropped, neighbours that are dense in both joined, the innermost one
// made part of the item where it is dense and short, as the channels of pixels are.
struct Walk {
  std::array<Axis, tensor::kMaxRank> axes;
  int rank = 0;
  bool is_empty = false;
  int item_bytes;

  Walk(const tensor::Shape& shape, int element_bytes, const Strides& in, const Strides& out)
      : item_bytes(element_bytes) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      is_empty |= shape[axis] == 0;
      if (shape[axis] != 1) {
        axes[rank++] = {shape[axis], in[axis] * element_bytes, out[axis] * element_bytes};
      }
    }
    join_axes();
    widen_item();
  }

 private:
  void join_axes() {
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

  void widen_item() {
    if (rank == 0) {
      return;
    }
    const Axis& last = axes[rank - 1];
    const bool is_dense = last.in_stride == item_bytes && last.out_stride == item_bytes;
    if (is_dense && is_one_of(last.extent * item_bytes, ItemBytes())) {
      item_bytes *= static_cast<int>(last.extent);
      --rank;
    }
  }
};

constexpr int64_t kTile = 16;

template <class T>
void copy_item(const std::byte* in, std::byte* out) {
  *reinterpret_cast<T*>(out) = *reinterpret_cast<const T*>(in);
}

// The two innermost axes, where the input is denser along the outer one: in tiles, so that both sides stay in
// cache.
template <class T>
void copy_tiled(const Axis& rows, const Axis& columns, const std::byte* in, std::byte* out) {
  for (int64_t r = 0; r < rows.extent; r += kTile) {
    const int64_t row_end = std::min(rows.extent, r + kTile);
    for (int64_t c = 0; c < columns.extent; c += kTile) {
      const int64_t column_end = std::min(columns.extent, c + kTile);
      for (int64_t i = r; i < row_end; ++i) {
        for (int64_t j = c; j < column_end; ++j) {
          copy_item<T>(in + i * rows.in_stride + j * columns.in_stride,
                       out + i * rows.out_stride + j * columns.out_stride);
        }
      }
    }
  }
}

template <class T>
void copy_line(const Axis& axis, const std::byte* in, std::byte* out) {
  constexpr auto kBytes = static_cast<int64_t>(sizeof(T));
  if (axis.in_stride == kBytes && axis.out_stride == kBytes && axis.extent * kBytes >= 64) {
    memory::copy(out, in, static_cast<size_t>(axis.extent * kBytes));
    return;
  }
  for (int64_t i = 0; i < axis.extent; ++i) {
    copy_item<T>(in + i * axis.in_stride, out + i * axis.out_stride);
  }
}

bool wants_tiles(const Axis& rows, const Axis& columns) {
  return std::abs(rows.in_stride) < std::abs(columns.in_stride);
}

template <class T>
void copy_axes(const Walk& walk, int first, const std::byte* in, std::byte* out) {
  const int left = walk.rank - first;
  if (left == 0) {
    copy_item<T>(in, out);
  } else if (left == 1) {
    copy_line<T>(walk.axes[first], in, out);
  } else if (left == 2 && wants_tiles(walk.axes[first], walk.axes[first + 1])) {
    copy_tiled<T>(walk.axes[first], walk.axes[first + 1], in, out);
  } else {
    const Axis& axis = walk.axes[first];
    for (int64_t i = 0; i < axis.extent; ++i) {
      copy_axes<T>(walk, first + 1, in + i * axis.in_stride, out + i * axis.out_stride);
    }
  }
}

template <int... kBytes>
void copy_walk(const Walk& walk, const std::byte* in, std::byte* out, std::integer_sequence<int, kBytes...>) {
  ((walk.item_bytes == kBytes && (copy_axes<Item<kBytes>>(walk, 0, in, out), true)) || ...);
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
  const Walk walk(shape, element_bytes, in_strides, out_strides);
  if (!walk.is_empty) {
    copy_walk(walk, static_cast<const std::byte*>(in), static_cast<std::byte*>(out), ItemBytes());
  }
}

void fill_strided(const tensor::Shape& shape, int element_bytes, const void* value, void* out,
                  const Strides& out_strides) {
  copy_strided(shape, element_bytes, value, Strides{}, out, out_strides);
}

}  // namespace forebay::kernels
