#include "forebay/kernels/sorting/order.h"

#include <algorithm>
#include <compare>
#include <type_traits>

#include "forebay/kernels/sorting/columns.h"
#include "forebay/kernels/sorting/keys.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

using tensor::Float16;

constexpr int64_t kFew = 128;                     // fewer items are sorted by comparison
constexpr int64_t kMaxRows = 4096;                // longer lines are sorted one at a time
constexpr int64_t kMaxPlaces = int64_t{1} << 32;  // places that fit into one number with a 32-bit key

// Ways of sorting values: as items that have the order of the values and contain all that is needed of them.

/// For values only.
template <class T>
struct ByKey {
  using Item = std::conditional_t<sizeof(SortKey<T>) <= 4, uint32_t, uint64_t>;
  bool ascending;

  Item item(T value, int64_t) const { return sort_key_of(value, ascending); }
  static Item key(Item item) { return item; }
  T result(Item item) const { return sort_value_of<T>(static_cast<SortKey<T>>(item), ascending); }
};

/// The key for ordering places. What is added makes -0 and 0 equal, or changes nothing.
template <class T>
SortKey<T> order_key_of(T value, bool ascending, Zeros zeros) {
  if constexpr (std::is_floating_point_v<Compared<T>>) {
    const Compared<T> added = zeros == Zeros::kEqual ? Compared<T>{0} : -Compared<T>{0};
    return sort_key_of(static_cast<Compared<T>>(value) + added, ascending);
  } else {
    return sort_key_of(value, ascending);
  }
}

/// For places: in one number, behind a key of at most 32 bits.
template <class T>
struct ByPackedKey {
  using Item = uint64_t;
  bool ascending;
  Zeros zeros;

  Item item(T value, int64_t place) const {
    return uint64_t{order_key_of(value, ascending, zeros)} << 32 | static_cast<uint64_t>(place);
  }
  static uint64_t key(Item item) { return item >> 32; }
  int64_t result(Item item) const { return static_cast<int64_t>(item & 0xFFFFFFFF); }
};

struct Entry {
  uint64_t key;
  int64_t place;
  friend auto operator<=>(const Entry&, const Entry&) = default;
};

/// For places: next to the key.
template <class T>
struct ByEntry {
  using Item = Entry;
  bool ascending;
  Zeros zeros;

  Item item(T value, int64_t place) const { return {order_key_of(value, ascending, zeros), place}; }
  static uint64_t key(const Item& item) { return item.key; }
  int64_t result(const Item& item) const { return item.place; }
};

/// Sorts lines of one array and stores the first k results in another.
template <template <class> class By, class T, class Out>
class LineSorter {
 public:
  using Item = typename By<T>::Item;

  LineSorter(const T* in, const Lines& lines, int64_t k, const By<T>& by, Out* out)
      : in_(in), lines_(lines), k_(k), by_(by), out_(out) {}

  void run(int64_t first, int64_t last) {
    const bool sorts_columns = !std::is_same_v<Item, Entry> && lines_.length <= kMaxRows && !picks();
    const int64_t items = lines_.length * (sorts_columns ? std::max<int64_t>(kColumns<Item>, 2) : 2);
    memory::ScratchArray<Item> buffer(static_cast<size_t>(items));
    items_ = buffer.data();
    int64_t line = first;
    if constexpr (!std::is_same_v<Item, Entry>) {
      // An unused column costs as much as a used one.
      for (; sorts_columns && last - line >= kColumns<Item> / 2; line += kColumns<Item>) {
        sort_side_by_side(line, std::min(last, line + kColumns<Item>));
      }
    }
    for (; line < last; ++line) {
      sort_one(line);
    }
  }

 private:
  /// Whether k is small enough to pick the first k with a heap.
  bool picks() const { return k_ <= lines_.length / (std::is_same_v<Item, Entry> ? 8 : 64); }
  const T* line_of(int64_t line) const { return in_ + lines_.start(line); }
  Out* out_of(int64_t line) const {
    return out_ + line / lines_.inner * k_ * lines_.inner + line % lines_.inner;
  }

  void sort_side_by_side(int64_t first, int64_t last) {
    constexpr int64_t kWidth = kColumns<Item>;
    const int64_t step = lines_.inner;
    for (int64_t line = first; line < last; ++line) {
      const T* const from = line_of(line);
      for (int64_t j = 0; j < lines_.length; ++j) {
        items_[j * kWidth + line - first] = by_.item(from[j * step], j);
      }
    }
    sort_columns(items_, lines_.length);
    for (int64_t line = first; line < last; ++line) {
      Out* const to = out_of(line);
      for (int64_t j = 0; j < k_; ++j) {
        to[j * step] = by_.result(items_[j * kWidth + line - first]);
      }
    }
  }

  void sort_one(int64_t line) {
    const T* const from = line_of(line);
    for (int64_t j = 0; j < lines_.length; ++j) {
      items_[j] = by_.item(from[j * lines_.inner], j);
    }
    const Item* const sorted = sort_items();
    Out* const to = out_of(line);
    for (int64_t j = 0; j < k_; ++j) {
      to[j * lines_.inner] = by_.result(sorted[j]);
    }
  }

  /// Returns the items, of which at least the first k are in order.
  const Item* sort_items() const {
    Item* const end = items_ + lines_.length;
    if (picks()) {
      std::partial_sort(items_, items_ + k_, end);
    } else if (lines_.length < kFew) {
      std::sort(items_, end);
    } else {
      const auto key_of = [](const Item& item) { return By<T>::key(item); };
      return radix_sort<sizeof(SortKey<T>)>(items_, end, static_cast<size_t>(lines_.length), key_of);
    }
    return items_;
  }

  const T* const in_;
  const Lines lines_;
  const int64_t k_;
  const By<T> by_;
  Out* const out_;
  Item* items_ = nullptr;  // while lines are sorted
};

/// The type that sums are computed in.
template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

template <class T>
void add_up_lines_of(const T* in, const Lines& lines, int64_t first, int64_t last, T* out) {
  for (int64_t line = first; line < last; ++line) {
    const int64_t start = lines.start(line);
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

Status order_lines(const tensor::TensorView& in, const Lines& lines, int64_t k, bool ascending, int64_t first,
                   int64_t last, int64_t* out, Zeros zeros) {
  const auto order = [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    if constexpr (sizeof(SortKey<T>) <= 4) {
      if (lines.length <= kMaxPlaces) {
        LineSorter<ByPackedKey, T, int64_t>(in.as<T>(), lines, k, {ascending, zeros}, out).run(first, last);
        return ok_status();
      }
    }
    LineSorter<ByEntry, T, int64_t>(in.as<T>(), lines, k, {ascending, zeros}, out).run(first, last);
    return ok_status();
  };
  return caught([&] { return tensor::visit_dtype(in.dtype(), order); });
}

Status sort_lines(const tensor::TensorView& in, const Lines& lines, bool ascending, int64_t first,
                  int64_t last, void* out) {
  const auto sort = [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    LineSorter<ByKey, T, T>(in.as<T>(), lines, lines.length, {ascending}, static_cast<T*>(out))
        .run(first, last);
    return ok_status();
  };
  return caught([&] { return tensor::visit_dtype(in.dtype(), sort); });
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
