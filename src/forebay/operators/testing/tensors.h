// Small tensors for the tests of operators.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/operators/sample.h"

namespace forebay::operators::testing {

template <class T>
Tensor tensor_of(std::vector<T> values, Shape shape, Layout layout = {}) {
  return *Tensor::copy_of<T>(values, shape, layout);
}

/// 0, 1, 2, ... in row-major order, wrapping at the type's range.
template <class T>
Tensor counted(Shape shape, Layout layout = {}) {
  std::vector<T> values(static_cast<size_t>(shape.volume()));
  std::iota(values.begin(), values.end(), T{});
  return tensor_of<T>(std::move(values), shape, layout);
}

/// Noise with some structure; deterministic for given arguments.
inline Tensor test_image(Shape shape, Layout layout = "HWC", uint64_t seed = 1) {
  RandomStream random(seed, 0);
  std::vector<uint8_t> values(static_cast<size_t>(shape.volume()));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<uint8_t>((i / 7 + random.below(64)) & 0xFF);
  }
  return tensor_of<uint8_t>(std::move(values), shape, layout);
}

template <class T>
std::vector<T> values_of(const Tensor& tensor) {
  const auto span = tensor.view().span<T>();
  return {span.begin(), span.end()};
}

inline bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.spec() == b.spec() && std::ranges::equal(a.bytes(), b.bytes());
}

}  // namespace forebay::operators::testing
