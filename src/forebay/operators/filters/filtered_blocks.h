// What filters work on: in each frame, blocks of one to three axes with interleaved channels behind them.
#pragma once

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "forebay/operators/border_names.h"
#include "forebay/operators/layout/frames.h"

namespace forebay::operators {

struct FilteredBlocks {
  int first = 0;       // the outermost axis that is filtered
  int count = 0;       // of such axes
  int64_t blocks = 1;  // planes of channels, or frames behind them, one after the other
  Shape shape;         // of a block: the axes, then channels, which may be 1

  /// A block of a tensor with the same axes as the frame, but other extents along those that are filtered.
  FilteredBlocks with_extents(std::span<const int64_t> extents) const;
};

/// The axes of `frame` other than C and F, which come first or (C) last; without a layout, all axes.
/// invalid_argument for other places of C and F, and for none or more than three axes.
Result<FilteredBlocks> filtered_blocks(const TensorSpec& frame);

using BlockWork = absl::FunctionRef<Status(const TensorView& in, const MutableTensorView& out)>;

/// Runs `work` over the blocks of one frame in their order, whose blocks of the output have the shape of
/// `out_blocks`.
Status for_each_block(const TensorView& in, const FilteredBlocks& blocks, const MutableTensorView& out,
                      const FilteredBlocks& out_blocks, BlockWork work);

/// The output's type: `dtype` or the input's. invalid_argument unless it is the input's or FLOAT.
Result<DType> filtered_type(const TensorSpec& in, std::optional<DType> dtype);

/// `values` of argument `name`, one for each of `count` axes or one for all.
template <class Number>
Result<std::vector<Number>> number_an_axis(std::string_view name, std::span<const Number> values, int count) {
  if (values.size() != 1 && values.size() != static_cast<size_t>(count)) {
    return invalid_argument("{} has {} numbers; give one, or {}", name, values.size(), count);
  }
  std::vector<Number> all;
  for (int axis = 0; axis < count; ++axis) {
    all.push_back(component(values, axis));
  }
  return all;
}

/// The names that OpenCV gives: constant, replicate, reflect, reflect_101, wrap.
std::vector<std::string> border_modes();

}  // namespace forebay::operators
