#include "forebay/kernels/sorting/order.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

namespace forebay::kernels {
namespace {

using tensor::Float16;

template <class T>
using Compared = std::conditional_t<std::is_same_v<T, Float16>, float, T>;

template <class T>
struct Entry {
  T value;
  int64_t place;
};

/// A strict order of all entries: by value, then by place.
template <class T>
bool comes_before(const Entry<T>& a, const Entry<T>& b, bool ascending) {
  if constexpr (std::is_floating_point_v<T>) {
    const bool a_is_number = a.value == a.value;
    const bool b_is_number = b.value == b.value;
    if (!a_is_number || !b_is_number) {
      return a_is_number != b_is_number ? a_is_number : a.place < b.place;
    }
  }
  if (a.value != b.value) {
    return (a.value < b.value) == ascending;
  }
  return a.place < b.place;
}

template <class Item, class Before>
void order_first(std::vector<Item>& items, int64_t k, Before&& before) {
  if (k < static_cast<int64_t>(items.size())) {
    std::partial_sort(items.begin(), items.begin() + k, items.end(), before);
  } else {
    std::sort(items.begin(), items.end(), before);
  }
}

/// Values of at most 32 bits as numbers whose order is theirs.
template <class T>
uint32_t ordered_key(T value, bool ascending) {
  constexpr uint32_t kTop = 0x80000000;
  uint32_t key = 0;
  if constexpr (std::is_floating_point_v<T>) {
    if (value != value) {
      return std::numeric_limits<uint32_t>::max();  // behind the infinities, whichever way
    }
    const auto bits = std::bit_cast<uint32_t>(value + 0.0F);  // -0 is 0
    key = (bits & kTop) != 0 ? ~bits : bits | kTop;
  } else {
    key = static_cast<uint32_t>(value) ^ (std::is_signed_v<T> ? kTop : 0);
  }
  return ascending ? key : ~key;
}

/// Key and place in one number: several times as fast as comparing entries.
template <class T>
void order_packed(const T* in, const Lines& lines, int64_t k, bool ascending, std::vector<uint64_t>& packed,
                  int64_t* out) {
  for (int64_t j = 0; j < lines.length; ++j) {
    const uint64_t key = ordered_key(static_cast<Compared<T>>(in[j * lines.inner]), ascending);
    packed[static_cast<size_t>(j)] = key << 32 | static_cast<uint64_t>(j);
  }
  order_first(packed, k, std::less<>());
  for (int64_t j = 0; j < k; ++j) {
    out[j * lines.inner] = static_cast<int64_t>(packed[static_cast<size_t>(j)] & 0xFFFFFFFF);
  }
}

template <class T>
void order_entries(const T* in, const Lines& lines, int64_t k, bool ascending,
                   std::vector<Entry<Compared<T>>>& entries, int64_t* out) {
  for (int64_t j = 0; j < lines.length; ++j) {
    entries[static_cast<size_t>(j)] = {static_cast<Compared<T>>(in[j * lines.inner]), j};
  }
  order_first(entries, k,
              [ascending](const auto& a, const auto& b) { return comes_before(a, b, ascending); });
  for (int64_t j = 0; j < k; ++j) {
    out[j * lines.inner] = entries[static_cast<size_t>(j)].place;
  }
}

template <class T>
void order_lines_of(const T* in, const Lines& lines, int64_t k, bool ascending, int64_t first, int64_t last,
                    int64_t* out) {
  const bool is_packed = sizeof(T) <= 4 && lines.length <= std::numeric_limits<uint32_t>::max();
  std::vector<Entry<Compared<T>>> entries(is_packed ? 0 : static_cast<size_t>(lines.length));
  std::vector<uint64_t> packed(is_packed ? static_cast<size_t>(lines.length) : 0);
  for (int64_t line = first; line < last; ++line) {
    const int64_t outer = line / lines.inner;
    const int64_t inner = line % lines.inner;
    const T* const from = in + outer * lines.length * lines.inner + inner;
    int64_t* const to = out + outer * k * lines.inner + inner;
    if constexpr (sizeof(T) <= 4) {
      if (is_packed) {
        order_packed(from, lines, k, ascending, packed, to);
        continue;
      }
    }
    order_entries(from, lines, k, ascending, entries, to);
  }
}

/// What sums are made in.
template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

template <class T>
void add_up_lines_of(const T* in, const Lines& lines, int64_t first, int64_t last, T* out) {
  for (int64_t line = first; line < last; ++line) {
    const int64_t start = line / lines.inner * lines.length * lines.inner + line % lines.inner;
    Sum<T> sum = 0;
    for (int64_t j = 0; j < lines.length; ++j) {
      const int64_t place = start + j * lines.inner;
      if constexpr (std::is_same_v<T, Float16>) {
        sum += static_cast<double>(static_cast<float>(in[place]));
        out[place] = Float16(static_cast<float>(sum));
      } else {
        sum += static_cast<Sum<T>>(in[place]);
        out[place] = static_cast<T>(sum);
      }
    }
  }
}

}  // namespace

void order_lines(const tensor::TensorView& in, const Lines& lines, int64_t k, bool ascending, int64_t first,
                 int64_t last, int64_t* out) {
  tensor::visit_dtype(in.dtype(), [&](auto tag) {
    order_lines_of(in.as<typename decltype(tag)::type>(), lines, k, ascending, first, last, out);
  });
}

void add_up_lines(const tensor::TensorView& in, const Lines& lines, int64_t first, int64_t last, void* out) {
  tensor::visit_dtype(in.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<T, bool>) {
      add_up_lines_of(in.as<T>(), lines, first, last, static_cast<T*>(out));
    }
  });
}

}  // namespace forebay::kernels
