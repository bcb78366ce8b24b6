#include "forebay/operators/sequences/frames_of.h"

#include "forebay/memory/copy.h"
#include "forebay/operators/layout/axes.h"

namespace forebay::operators {

Result<TensorSpec> frame_of_sequence(const Tensor& sequence) {
  const Layout& layout = sequence.layout();
  if (sequence.shape().rank() < 2 || (!layout.empty() && layout[0] != 'F')) {
    return invalid_argument("a sequence has an axis F before at least one other, not {}",
                            sequence.spec().to_string());
  }
  TensorSpec frame{{}, sequence.dtype(), {}};
  for (int axis = 1; axis < sequence.shape().rank(); ++axis) {
    frame.shape.push_back(sequence.shape()[axis]);
  }
  const int first = 0;
  frame.layout = layout_without(layout, {&first, 1});
  return frame;
}

Status copy_frame(const Tensor& sequence, int64_t from, std::byte* to) {
  const int64_t frames = sequence.shape()[0];
  if (from < 0 || from >= frames) {
    return out_of_range("frame {} of a sequence of {}", from, frames);
  }
  const size_t bytes = sequence.size_bytes() / static_cast<size_t>(frames);
  memory::copy(to, static_cast<const std::byte*>(sequence.data()) + static_cast<size_t>(from) * bytes, bytes);
  return ok_status();
}

}  // namespace forebay::operators
