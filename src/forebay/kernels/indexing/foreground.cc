#include "forebay/kernels/indexing/foreground.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

namespace forebay::kernels {
namespace {

constexpr size_t kPart = 4096;

/// Calls function(test of an element), where the test is as cheap as the type allows: it runs over all of a
/// mask. Nothing is foreground where it is not called.
template <class T, class Function>
void with_test(const Foreground& foreground, Function function) {
  const auto [has_value, value, threshold] = foreground;
  if constexpr (!std::is_integral_v<T>) {
    using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
    if (has_value) {
      function([number = static_cast<double>(value)](T each) {
        return static_cast<double>(static_cast<Real>(each)) == number;
      });
    } else {
      function([limit = threshold](T each) { return static_cast<double>(static_cast<Real>(each)) > limit; });
    }
  } else if constexpr (sizeof(T) == 8) {  // of these a double does not hold all
    if (has_value) {
      function([wanted = value](T each) { return std::cmp_equal(each, wanted); });
    } else {
      function([limit = threshold](T each) { return static_cast<double>(each) > limit; });
    }
  } else {
    using Limits = std::numeric_limits<T>;
    if (has_value) {
      if (value >= int64_t{Limits::min()} && value <= int64_t{Limits::max()}) {
        function([wanted = static_cast<T>(value)](T each) { return each == wanted; });
      }
    } else if (threshold < static_cast<double>(Limits::max())) {
      const double below = std::max(std::floor(threshold), static_cast<double>(Limits::min()) - 1);
      function([least = static_cast<T>(static_cast<int64_t>(below) + 1)](T each) { return each >= least; });
    }
  }
}

/// Of no more than kPart elements.
template <class T, class Test>
uint64_t count_of_part(std::span<const T> elements, Test test) {
  uint32_t count = 0;
  for (const T element : elements) {
    count += test(element) ? 1 : 0;
  }
  return count;
}

template <class T>
std::span<const T> part_of(std::span<const T> elements, size_t at) {
  return elements.subspan(at, std::min(kPart, elements.size() - at));
}

template <class T, class Test>
uint64_t count_of(std::span<const T> elements, Test test) {
  uint64_t count = 0;
  for (size_t at = 0; at < elements.size(); at += kPart) {
    count += count_of_part(part_of(elements, at), test);
  }
  return count;
}

/// Parts are passed over by their counts.
template <class T, class Test>
size_t place_of(std::span<const T> elements, uint64_t number, Test test) {
  size_t place = 0;
  for (; place < elements.size(); place += kPart) {
    const uint64_t count = count_of_part(part_of(elements, place), test);
    if (number < count) {
      break;
    }
    number -= count;
  }
  while (!test(elements[place]) || number-- > 0) {
    ++place;
  }
  return place;
}

}  // namespace

uint64_t count_foreground(const tensor::TensorView& mask, const Foreground& foreground) {
  uint64_t count = 0;
  tensor::visit_dtype(mask.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    with_test<T>(foreground, [&](auto test) { count = count_of(mask.span<T>(), test); });
  });
  return count;
}

int64_t foreground_place(const tensor::TensorView& mask, const Foreground& foreground, uint64_t number) {
  size_t place = 0;
  tensor::visit_dtype(mask.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    with_test<T>(foreground, [&](auto test) { place = place_of(mask.span<T>(), number, test); });
  });
  return static_cast<int64_t>(place);
}

}  // namespace forebay::kernels
