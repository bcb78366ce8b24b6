// What operations of networks share: which types they take, and how work is cut. Internal to ndarray.
#pragma once

#include <algorithm>
#include <span>

#include "forebay/engine/engine.h"
#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// invalid_argument unless all are of one type, float or float64.
inline Status check_real(std::span<const ArraySpec> specs) {
  for (const ArraySpec& spec : specs) {
    const bool is_real = spec.dtype == tensor::DType::kFloat || spec.dtype == tensor::DType::kFloat64;
    if (!is_real || spec.dtype != specs[0].dtype) {
      return invalid_argument("takes arrays that are all float32 or all float64, not {} and {}",
                              tensor::name_of(specs[0].dtype), tensor::name_of(spec.dtype));
    }
  }
  return ok_status();
}

/// Calls body(T{}) with T the type that check_real() let through.
template <class Body>
Status visit_real(tensor::DType dtype, Body&& body) {
  return dtype == tensor::DType::kFloat ? body(float{}) : body(double{});
}

/// Calls body(first, last) for ranges of `at_once` of `count` places, on all idle workers.
template <class Body>
Status share(int64_t count, int64_t at_once, Body&& body) {
  const int64_t step = std::max<int64_t>(at_once, 1);
  return engine::parallel_for(static_cast<size_t>((count + step - 1) / step), [&](size_t piece) {
    const int64_t first = static_cast<int64_t>(piece) * step;
    body(first, std::min(first + step, count));
    return ok_status();
  });
}

constexpr int64_t kElementsAShare = int64_t{1} << 16;

/// How many places of `cost` elements each are worth a share of their own.
inline int64_t places_a_share(int64_t cost) {
  return std::max<int64_t>(kElementsAShare / std::max<int64_t>(cost, 1), 1);
}

}  // namespace forebay::ndarray
