// A window of a tensor, and what happens if it extends outside: shared by crop, slice and the decoders.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/kernels/generic/fill.h"
#include "forebay/operators/sample.h"

namespace forebay::operators {

/// `anchor` may be outside the tensor, on either side.
struct TensorWindow {
  std::array<int64_t, tensor::kMaxRank> anchor{};
  Shape shape;

  std::span<const int64_t> anchors() const { return {anchor.data(), static_cast<size_t>(shape.rank())}; }
};

/// Whether the window is entirely inside a tensor of that shape.
bool lies_inside(const TensorWindow& window, const Shape& shape);

/// The values of the argument out_of_bounds_policy. The last four extend the tensor beyond its edges.
std::vector<std::string> crop_policies();  // "error", "pad", "constant", "trim_to_shape"
std::vector<std::string>
slice_policies();  // and "edge", "clamp", "reflect", "reflect_1001", "reflect_101", "wrap"

/// Applies the policy to the window: clips it for "trim_to_shape"; for "error", returns out_of_range naming
/// the axis if it extends outside; otherwise leaves it unchanged.
Result<TensorWindow> apply_policy(TensorWindow window, const Shape& shape, const std::string& policy);

/// What fills places outside the tensor.
struct Outside {
  std::string_view policy;
  kernels::FillValues fill;
  int channel_axis = -1;  // -1: none
};

/// Makes output 0 of `sample` the window of input 0, converted to `dtype`.
Status write_window(Sample& sample, const TensorWindow& window, DType dtype, const Layout& layout,
                    const Outside& outside);

}  // namespace forebay::operators
