#include "forebay/tensor/strided_copy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "forebay/memory/copy.h"

namespace forebay::tensor {
namespace {

using Axes = absl::InlinedVector<StridedAxis, 8>;
using Sizes = std::integer_sequence<int, 1, 2, 3, 4, 6, 8, 12, 16>;

constexpr int64_t kTile = 16;
constexpr int64_t kLeastRun = 64;   // bytes that make a call worthwhile
constexpr int64_t kLineBytes = 64;  // of a cache line

template <int... sizes>
bool is_one_of(int64_t bytes, std::integer_sequence<int, sizes...>) {
  return ((bytes == sizes) || ...);
}

// An item whose size is known at compile time.
template <int size>
struct FixedItem {
  std::byte content[size];

  static constexpr int64_t bytes() { return size; }
  static void copy(const std::byte* in, std::byte* out) {
    *reinterpret_cast<FixedItem*>(out) = *reinterpret_cast<const FixedItem*>(in);
  }
};

struct AnyItem {
  int64_t size;

  int64_t bytes() const { return size; }
  void copy(const std::byte* in, std::byte* out) const {
    std::memcpy(out, in, static_cast<size_t>(size));  // copy: counted by who asks for it
  }
};

// The relevant axes: extents of 1 are dropped, and neighbours that step as one on both sides are joined.
Axes joined(std::span<const StridedAxis> axes) {
  Axes kept;
  for (const StridedAxis& inner : axes) {
    if (inner.extent == 1) {
      continue;
    }
    if (!kept.empty() && kept.back().in_stride_bytes == inner.in_stride_bytes * inner.extent &&
        kept.back().out_stride_bytes == inner.out_stride_bytes * inner.extent) {
      kept.back() = {kept.back().extent * inner.extent, inner.in_stride_bytes, inner.out_stride_bytes};
      continue;
    }
    kept.push_back(inner);
  }
  return kept;
}

// Merges the innermost axis into the item if it is dense and short, like the channels of pixels.
int64_t widened_item(Axes& axes, int64_t item_bytes) {
  if (axes.empty()) {
    return item_bytes;
  }
  const StridedAxis& last = axes.back();
  const bool is_dense = last.in_stride_bytes == item_bytes && last.out_stride_bytes == item_bytes;
  if (!is_dense || !is_one_of(last.extent * item_bytes, Sizes())) {
    return item_bytes;
  }
  item_bytes *= last.extent;
  axes.pop_back();
  return item_bytes;
}

template <class Item>
class Walk {
 public:
  Walk(const Axes& axes, Item item) : axes_(axes), item_(item) {}

  size_t counted_bytes() const { return counted_bytes_; }

  void copy(size_t first, const std::byte* in, std::byte* out) {
    const size_t left = axes_.size() - first;
    if (left > 2) {
      const StridedAxis& axis = axes_[first];
      for (int64_t i = 0; i < axis.extent; ++i) {
        copy(first + 1, in + i * axis.in_stride_bytes, out + i * axis.out_stride_bytes);
      }
    } else if (left == 2) {
      copy_plane(axes_[first], axes_[first + 1], in, out);
    } else if (left == 1) {
      copy_line(axes_[first], in, out);
    } else {
      item_.copy(in, out);
    }
  }

 private:
  // Whether reading along the inner axis would touch a new cache line each time, while reading along the
  // outer one would not.
  static bool wants_tiles(const StridedAxis& rows, const StridedAxis& columns) {
    const int64_t step = std::abs(columns.in_stride_bytes);
    return step >= kLineBytes && rows.in_stride_bytes != 0 && std::abs(rows.in_stride_bytes) < step;
  }

  void copy_plane(const StridedAxis& rows, const StridedAxis& columns, const std::byte* in, std::byte* out) {
    if (wants_tiles(rows, columns)) {
      copy_tiled(rows, columns, in, out);
      return;
    }
    const bool has_runs = is_run(columns);
    for (int64_t i = 0; i < rows.extent; ++i) {
      const std::byte* const from = in + i * rows.in_stride_bytes;
      std::byte* const to = out + i * rows.out_stride_bytes;
      has_runs ? copy_run(columns, from, to) : copy_items(columns, from, to);
    }
  }

  void copy_line(const StridedAxis& axis, const std::byte* in, std::byte* out) {
    is_run(axis) ? copy_run(axis, in, out) : copy_items(axis, in, out);
  }

  bool is_run(const StridedAxis& axis) const {
    const int64_t bytes = item_.bytes();
    return axis.in_stride_bytes == bytes && axis.out_stride_bytes == bytes &&
           axis.extent * bytes >= kLeastRun;
  }

  void copy_run(const StridedAxis& axis, const std::byte* in, std::byte* out) {
    const auto bytes = static_cast<size_t>(axis.extent * item_.bytes());
    memory::copy(out, in, bytes);
    counted_bytes_ += bytes;
  }

  void copy_items(const StridedAxis& axis, const std::byte* in, std::byte* out) {
    const int64_t bytes = item_.bytes();
    const bool is_dense = axis.out_stride_bytes == bytes;  // the compiler optimises this case better
    for (int64_t i = 0; is_dense && i < axis.extent; ++i) {
      item_.copy(in + i * axis.in_stride_bytes, out + i * bytes);
    }
    for (int64_t i = 0; !is_dense && i < axis.extent; ++i) {
      item_.copy(in + i * axis.in_stride_bytes, out + i * axis.out_stride_bytes);
    }
  }

  // Keeps both sides in the cache.
  void copy_tiled(const StridedAxis& rows, const StridedAxis& columns, const std::byte* in, std::byte* out) {
    for (int64_t r = 0; r < rows.extent; r += kTile) {
      const int64_t row_end = std::min(rows.extent, r + kTile);
      for (int64_t c = 0; c < columns.extent; c += kTile) {
        const int64_t column_end = std::min(columns.extent, c + kTile);
        for (int64_t i = r; i < row_end; ++i) {
          for (int64_t j = c; j < column_end; ++j) {
            item_.copy(in + i * rows.in_stride_bytes + j * columns.in_stride_bytes,
                       out + i * rows.out_stride_bytes + j * columns.out_stride_bytes);
          }
        }
      }
    }
  }

  const Axes& axes_;
  const Item item_;
  size_t counted_bytes_ = 0;
};

template <class Item>
size_t copy_by(const Axes& axes, Item item, const void* in, void* out) {
  Walk<Item> walk(axes, item);
  walk.copy(0, static_cast<const std::byte*>(in), static_cast<std::byte*>(out));
  return walk.counted_bytes();
}

template <int... sizes>
size_t copy_by_size(const Axes& axes, int64_t item_bytes, const void* in, void* out,
                    std::integer_sequence<int, sizes...>) {
  size_t counted = 0;
  const bool is_fixed =
      ((item_bytes == sizes && (counted = copy_by(axes, FixedItem<sizes>(), in, out), true)) || ...);
  return is_fixed ? counted : copy_by(axes, AnyItem{item_bytes}, in, out);
}

}  // namespace

size_t copy_strided(std::span<const StridedAxis> axes, int64_t item_bytes, const void* in, void* out) {
  const bool is_empty =
      std::any_of(axes.begin(), axes.end(), [](const StridedAxis& axis) { return axis.extent == 0; });
  if (is_empty || item_bytes == 0) {
    return 0;
  }
  Axes kept = joined(axes);
  const int64_t bytes = widened_item(kept, item_bytes);
  return copy_by_size(kept, bytes, in, out, Sizes());
}

}  // namespace forebay::tensor
