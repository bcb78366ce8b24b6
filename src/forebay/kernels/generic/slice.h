// Windows of tensors: plain, reaching outside (padded with a value), and strided like Python's subscripts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "forebay/base/status.h"
#include "forebay/kernels/generic/border.h"
#include "forebay/kernels/generic/fill.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// Copies the window that starts at `anchor` and has the shape of `out`; same rank and dtype. Places outside
/// the input get a fill value, by the index along `channel_axis` if there are several. Covers crop, slice and
/// pad. Moves bytes through memory::copy (counted).
Status slice(const tensor::TensorView& in, std::span<const int64_t> anchor, const FillValues& fill,
             int channel_axis, const tensor::MutableTensorView& out);

/// The same with the input continued beyond its edges; `border` is not kConstant. invalid_argument if the
/// input is empty and the output is not. Takes scratch memory for a place along each axis.
Status slice_continued(const tensor::TensorView& in, std::span<const int64_t> anchor, Border border,
                       const tensor::MutableTensorView& out);

/// One axis of a subscript: Python's start:stop:step, or an index, which removes the axis.
struct Subscript {
  std::optional<int64_t> start;
  std::optional<int64_t> stop;
  int64_t step = 1;
  bool is_index = false;  // `start` is the index, which may be negative to count from the end
};

/// The shape of in[subscripts]; out_of_range if an index is outside its axis, invalid_argument if there are
/// more subscripts than axes or a step is 0. Axes without a subscript are taken whole.
Result<tensor::Shape> subscripted_shape(const tensor::Shape& in, std::span<const Subscript> subscripts);

/// Copies in[subscripts] to `out`, whose shape must be subscripted_shape().
Status subscript(const tensor::TensorView& in, std::span<const Subscript> subscripts,
                 const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
