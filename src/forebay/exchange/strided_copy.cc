#include "forebay/exchange/strided_copy.h"

#include <cstring>

#include "forebay/base/metrics.h"
#include "forebay/exchange/strided_array.h"
#include "forebay/memory/copy.h"

namespace forebay::exchange {
namespace {

struct Axis {
  int64_t extent;
  int64_t stride_bytes;
};

// The axes outermost first, without those of extent 1, neighbours joined where they step as one.
absl::InlinedVector<Axis, 8> joined_axes(const StridedArray& array) {
  absl::InlinedVector<Axis, 8> axes;
  for (int axis = 0; axis < array.rank(); ++axis) {
    const Axis next{array.shape[axis], array.strides_bytes[axis]};
    if (next.extent == 1) {
      continue;
    }
    if (!axes.empty() && axes.back().stride_bytes == next.extent * next.stride_bytes) {
      axes.back() = {axes.back().extent * next.extent, next.stride_bytes};
      continue;
    }
    axes.push_back(next);
  }
  return axes;
}

template <class Item>
std::byte* copy_row(const std::byte* from, std::byte* to, const Axis& axis) {
  for (int64_t i = 0; i < axis.extent; ++i) {
    Item item;
    std::memcpy(&item, from + i * axis.stride_bytes, sizeof(item));
    std::memcpy(to + i * static_cast<int64_t>(sizeof(item)), &item, sizeof(item));
  }
  return to + axis.extent * static_cast<int64_t>(sizeof(Item));
}

struct Item16 {
  uint64_t words[2];
};

std::byte* copy_items(const std::byte* from, std::byte* to, const Axis& axis, size_t item_bytes) {
  switch (item_bytes) {
    case 1:
      return copy_row<uint8_t>(from, to, axis);
    case 2:
      return copy_row<uint16_t>(from, to, axis);
    case 4:
      return copy_row<uint32_t>(from, to, axis);
    case 8:
      return copy_row<uint64_t>(from, to, axis);
    case 16:
      return copy_row<Item16>(from, to, axis);
    default:
      for (int64_t i = 0; i < axis.extent; ++i, to += item_bytes) {
        std::memcpy(to, from + i * axis.stride_bytes, item_bytes);  // copy: counted by gather
      }
      return to;
  }
}

std::byte* gather_axes(const std::byte* from, std::byte* to, std::span<const Axis> axes, size_t item_bytes) {
  const Axis& outer = axes.front();
  if (axes.size() == 1) {
    if (outer.stride_bytes == static_cast<int64_t>(item_bytes)) {
      const size_t bytes = static_cast<size_t>(outer.extent) * item_bytes;
      std::memcpy(to, from, bytes);  // copy: counted by gather
      return to + bytes;
    }
    return copy_items(from, to, outer, item_bytes);
  }
  for (int64_t i = 0; i < outer.extent; ++i) {
    to = gather_axes(from + i * outer.stride_bytes, to, axes.subspan(1), item_bytes);
  }
  return to;
}

}  // namespace

void gather(const StridedArray& from, std::byte* target) {
  const size_t bytes = from.size_bytes();
  if (bytes == 0) {
    return;
  }
  if (from.is_dense()) {
    memory::copy(target, from.data, bytes);
    return;
  }
  const auto axes = joined_axes(from);
  gather_axes(from.data, target, axes, from.item_bytes());
  counter("bytes_copied").add(bytes);
}

}  // namespace forebay::exchange
