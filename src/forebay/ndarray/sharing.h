// Divides the work of one operation among all idle workers. Internal to ndarray.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "forebay/engine/engine.h"
#include "forebay/tensor/tensor.h"

namespace forebay::ndarray {

/// Calls body(first, last) on all idle workers, for consecutive ranges of `at_once` of `count` places (the
/// last one may be shorter). The ranges depend on nothing else. The body returns void or a Status.
template <class Body>
Status share(int64_t count, int64_t at_once, Body&& body) {
  const auto call = [&](int64_t first, int64_t last) {
    if constexpr (std::is_void_v<std::invoke_result_t<Body&, int64_t, int64_t>>) {
      body(first, last);
      return ok_status();
    } else {
      return body(first, last);
    }
  };
  const int64_t step = std::max<int64_t>(at_once, 1);
  if (count <= step) {
    return count <= 0 ? ok_status() : call(0, count);
  }
  return engine::parallel_for(static_cast<size_t>((count + step - 1) / step), [&](size_t piece) {
    const int64_t first = static_cast<int64_t>(piece) * step;
    return call(first, std::min(first + step, count));
  });
}

constexpr int64_t kElementsAShare = int64_t{1} << 16;

/// How many places, at a cost of `cost` elements each, make a share of about `elements`.
inline int64_t places_a_share(int64_t cost, int64_t elements = kElementsAShare) {
  return std::max<int64_t>(elements / std::max<int64_t>(cost, 1), 1);
}

/// Elements first ... last - 1 of a dense array, as a one-dimensional array.
template <class View>
View part_of(const View& view, int64_t first, int64_t last) {
  using Byte = std::conditional_t<std::is_same_v<View, tensor::TensorView>, const std::byte, std::byte>;
  const auto item = static_cast<int64_t>(tensor::size_of(view.dtype()));
  return {static_cast<Byte*>(view.data) + first * item, {tensor::Shape{last - first}, view.dtype(), {}}};
}

}  // namespace forebay::ndarray
