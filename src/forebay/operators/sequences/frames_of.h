// Sequences: tensors whose first axis is F, or has no name.
#pragma once

#include "forebay/operators/sample.h"

namespace forebay::operators {

/// What every frame of `sequence` is, sharing its memory's type and layout without F; invalid_argument unless
/// it is a sequence of at least one axis more.
Result<TensorSpec> frame_of_sequence(const Tensor& sequence);

/// Copies frame `from` of `sequence` to `to`, which has the size of a frame; out_of_range if there is none.
Status copy_frame(const Tensor& sequence, int64_t from, std::byte* to);

}  // namespace forebay::operators
