// Points or vectors through a matrix and a translation, point by point.
#pragma once

#include <cstdint>
#include <span>

#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// x -> M x + T. An empty M is the identity, one number that many times it; T likewise, and 0.
struct PointMap {
  std::span<const float> m;
  std::span<const float> t;
  int64_t m_stride = 0;  // between the rows of m
  int64_t t_stride = 1;  // between the numbers of t
};

/// Maps n points, n x (coordinates of one), to n others, of as many coordinates as M has rows. Any types;
/// sums are float, T first, and are converted as cast() does.
Status map_points(const tensor::TensorView& points, const PointMap& map,
                  const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
