#include "forebay/operators/layout/frames.h"

#include "forebay/operators/layout/axes.h"

namespace forebay::operators {

template <class Number>
Result<FrameValues<Number>> FrameValues<Number>::of_tensor(const Tensor& tensor) {
  FOREBAY_ASSIGN_OR_RETURN(auto numbers, ArgumentValues<Number>::of(tensor));
  FrameValues values(std::move(numbers));
  values.is_per_frame_ = tensor.layout().find('F') == 0;
  if (values.is_per_frame_) {
    values.frames_ = tensor.shape()[0];
    values.size_ = values.frames_ == 0 ? 0 : tensor.volume() / values.frames_;
  }
  return values;
}

template class FrameValues<float>;
template class FrameValues<int64_t>;

Result<int64_t> common_frames(std::initializer_list<const FrameFloats*> parts) {
  int64_t frames = 1;
  for (const FrameFloats* part : parts) {
    if (part->frames() == 1) {
      continue;
    }
    if (frames != 1 && frames != part->frames()) {
      return invalid_argument("one part has {} frames, another {}", frames, part->frames());
    }
    frames = part->frames();
  }
  return frames;
}

Frames::Frames(const Tensor& input, const Layout& layout)
    : spec_{input.shape(), input.dtype(), layout}, is_sequence_(layout.find('F') == 0) {
  if (!is_sequence_) {
    return;
  }
  count_ = input.shape()[0];
  spec_.shape = {};
  for (int axis = 1; axis < input.shape().rank(); ++axis) {
    spec_.shape.push_back(input.shape()[axis]);
  }
  const int first = 0;
  spec_.layout = layout_without(layout, {&first, 1});
}

Status Frames::check(int64_t argument_frames) const {
  if (argument_frames < 0 || argument_frames == 1) {
    return ok_status();
  }
  if (!is_sequence_) {
    return invalid_argument(
        "an argument changes from frame to frame (its layout begins with F), and the input, of layout '{}', "
        "has no frames",
        spec_.layout.view());
  }
  if (argument_frames != count_) {
    return invalid_argument("an argument has values for {} frames, and the input has {}", argument_frames,
                            count_);
  }
  return ok_status();
}

TensorSpec Frames::all_of(const TensorSpec& frame) const {
  if (!is_sequence_) {
    return frame;
  }
  TensorSpec all{{count_}, frame.dtype, layout_with(frame.layout, 0, 'F')};
  for (int axis = 0; axis < frame.shape.rank(); ++axis) {
    all.shape.push_back(frame.shape[axis]);
  }
  return all;
}

Status for_each_frame(Sample& sample, const Frames& frames, const TensorSpec& out_frame, FrameWork work) {
  const TensorSpec all = frames.all_of(out_frame);
  if (!all.shape.checked_volume()) {
    return invalid_argument("no tensor can have the shape {}", all.shape.to_string());
  }
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, all));
  const auto* from = static_cast<const std::byte*>(sample.input(0).data());
  auto* to = static_cast<std::byte*>(out.data);
  const size_t in_bytes = frames.spec().size_bytes();
  const size_t out_bytes = out_frame.size_bytes();
  if (frames.count() == 1) {
    return work({from, frames.spec()}, 0, {to, out_frame});
  }
  return sample.try_parallel_for(frames.count(), [&](int64_t frame) {
    const auto place = static_cast<size_t>(frame);
    return work({from + place * in_bytes, frames.spec()}, frame, {to + place * out_bytes, out_frame});
  });
}

}  // namespace forebay::operators
