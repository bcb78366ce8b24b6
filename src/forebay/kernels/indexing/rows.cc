#include "forebay/kernels/indexing/rows.h"

#include <algorithm>
#include <cstddef>

#include "forebay/kernels/generic/convert.h"
#include "forebay/memory/copy.h"

namespace forebay::kernels {
namespace {

/// Copies rows of one element as numbers, other rows as bytes.
template <class Item>
void gather_items(const void* in, std::span<const int64_t> places, void* out) {
  const auto* const from = static_cast<const Item*>(in);
  auto* to = static_cast<Item*>(out);
  for (const int64_t place : places) {
    *to++ = from[place];
  }
}

template <class Item>
void scatter_items(const void* in, std::span<const int64_t> places, void* out) {
  const auto* from = static_cast<const Item*>(in);
  auto* const to = static_cast<Item*>(out);
  for (const int64_t place : places) {
    to[place] = *from++;
  }
}

template <class T>
void add_rows_of(const void* in, int64_t length, int64_t first, int64_t last, std::span<const int64_t> places,
                 void* out) {
  const T* from = static_cast<const T*>(in);
  for (const int64_t place : places) {
    T* const to = static_cast<T*>(out) + place * length;
    for (int64_t i = first; i < last; ++i) {
      if constexpr (std::is_same_v<T, tensor::Float16>) {
        to[i] = T(static_cast<float>(to[i]) + static_cast<float>(from[i]));
      } else {
        to[i] = static_cast<T>(to[i] + from[i]);
      }
    }
    from += length;
  }
}

template <class Item, class T>
void select_items(const T* condition, const void* a, const void* b, int64_t first, int64_t last, void* out) {
  for (int64_t i = first; i < last; ++i) {
    static_cast<Item*>(out)[i] =
        convert_plainly<bool>(condition[i]) ? static_cast<const Item*>(a)[i] : static_cast<const Item*>(b)[i];
  }
}

}  // namespace

void gather_rows(const void* in, int64_t row_bytes, std::span<const int64_t> places, void* out) {
  switch (row_bytes) {
    case 1:
      return gather_items<uint8_t>(in, places, out);
    case 2:
      return gather_items<uint16_t>(in, places, out);
    case 4:
      return gather_items<uint32_t>(in, places, out);
    case 8:
      return gather_items<uint64_t>(in, places, out);
    default:
      break;
  }
  auto* to = static_cast<std::byte*>(out);
  for (const int64_t place : places) {
    memory::copy(to, static_cast<const std::byte*>(in) + place * row_bytes, static_cast<size_t>(row_bytes));
    to += row_bytes;
  }
}

void scatter_rows(const void* in, int64_t row_bytes, std::span<const int64_t> places, void* out) {
  switch (row_bytes) {
    case 1:
      return scatter_items<uint8_t>(in, places, out);
    case 2:
      return scatter_items<uint16_t>(in, places, out);
    case 4:
      return scatter_items<uint32_t>(in, places, out);
    case 8:
      return scatter_items<uint64_t>(in, places, out);
    default:
      break;
  }
  const auto* from = static_cast<const std::byte*>(in);
  for (const int64_t place : places) {
    memory::copy(static_cast<std::byte*>(out) + place * row_bytes, from, static_cast<size_t>(row_bytes));
    from += row_bytes;
  }
}

void add_rows(tensor::DType dtype, const void* in, int64_t length, int64_t first, int64_t last,
              std::span<const int64_t> places, void* out) {
  tensor::visit_dtype(dtype, [&](auto tag) {
    add_rows_of<typename decltype(tag)::type>(in, length, first, last, places, out);
  });
}

void read_indices(const tensor::TensorView& indices, std::span<int64_t> out) {
  tensor::visit_dtype(indices.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const values = indices.as<T>();
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = convert_plainly<int64_t>(values[i]);
    }
  });
}

void one_hot(std::span<const int64_t> indices, int64_t depth, double on, double off,
             const tensor::MutableTensorView& out) {
  tensor::visit_dtype(out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* row = out.as<T>();
    std::fill_n(row, out.volume(), convert_plainly<T>(off));
    for (const int64_t index : indices) {
      if (index >= 0 && index < depth) {
        row[index] = convert_plainly<T>(on);
      }
      row += depth;
    }
  });
}

void select_rows(const tensor::TensorView& condition, const void* a, const void* b, int64_t row_bytes,
                 int64_t first, int64_t last, void* out) {
  tensor::visit_dtype(condition.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const flags = condition.as<T>();
    switch (row_bytes) {
      case 1:
        return select_items<uint8_t>(flags, a, b, first, last, out);
      case 2:
        return select_items<uint16_t>(flags, a, b, first, last, out);
      case 4:
        return select_items<uint32_t>(flags, a, b, first, last, out);
      case 8:
        return select_items<uint64_t>(flags, a, b, first, last, out);
      default:
        break;
    }
    for (int64_t i = first; i < last; ++i) {
      const auto* const from = static_cast<const std::byte*>(convert_plainly<bool>(flags[i]) ? a : b);
      memory::copy(static_cast<std::byte*>(out) + i * row_bytes, from + i * row_bytes,
                   static_cast<size_t>(row_bytes));
    }
  });
}

}  // namespace forebay::kernels
