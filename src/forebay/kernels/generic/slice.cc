#include "forebay/kernels/generic/slice.h"

#include <algorithm>
#include <array>
#include <vector>

#include "forebay/kernels/generic/strided.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

using tensor::MutableTensorView;
using tensor::Shape;
using tensor::TensorView;

const std::byte* at_offset(const void* data, int64_t elements, int bytes) {
  return static_cast<const std::byte*>(data) + elements * bytes;
}
std::byte* at_offset(void* data, int64_t elements, int bytes) {
  return static_cast<std::byte*>(data) + elements * bytes;
}

Status check(const TensorView& in, std::span<const int64_t> anchor, const MutableTensorView& out) {
  const int rank = in.shape().rank();
  if (out.shape().rank() != rank || static_cast<int>(anchor.size()) != rank || in.dtype() != out.dtype()) {
    return invalid_argument("slice: {} {} at an anchor of {} axes to {} {}", tensor::name_of(in.dtype()),
                            in.shape().to_string(), anchor.size(), tensor::name_of(out.dtype()),
                            out.shape().to_string());
  }
  return ok_status();
}

Status check_places(std::span<const int64_t> anchor) {
  constexpr int64_t kFarthest = int64_t{1} << 40;
  for (const int64_t start : anchor) {
    if (start < -kFarthest || start > kFarthest) {
      return invalid_argument("slice: an anchor of {}", start);
    }
  }
  return ok_status();
}

void copy_window(const TensorView& in, std::span<const int64_t> anchor, const FillValues& fill,
                 int channel_axis, const MutableTensorView& out) {
  const int rank = in.shape().rank();
  const int bytes = static_cast<int>(tensor::size_of(in.dtype()));
  const Strides in_strides = dense_strides(in.shape());
  const Strides out_strides = dense_strides(out.shape());
  // Fill the outside axis by axis, before and after the input, and continue with what is in between.
  Shape begin = out.shape();
  Shape end = out.shape();
  for (int axis = 0; axis < rank; ++axis) {
    begin[axis] = 0;
  }
  int64_t from = 0;
  int64_t to = 0;
  Shape inside = out.shape();
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t low = std::clamp<int64_t>(-anchor[axis], 0, out.shape()[axis]);
    const int64_t high = std::clamp<int64_t>(in.shape()[axis] - anchor[axis], low, out.shape()[axis]);
    Shape part_end = end;
    part_end[axis] = low;
    fill_box(out, begin, part_end, fill, channel_axis);
    Shape part_begin = begin;
    part_begin[axis] = high;
    fill_box(out, part_begin, end, fill, channel_axis);
    begin[axis] = low;
    end[axis] = high;
    inside[axis] = high - low;
    from += (anchor[axis] + low) * in_strides[axis];
    to += low * out_strides[axis];
  }
  if (inside.volume() > 0) {
    copy_strided(inside, bytes, at_offset(in.data, from, bytes), in_strides, at_offset(out.data, to, bytes),
                 out_strides);
  }
}

// Offsets of each place of each axis in the input; then one element at a time, in the output's order.
void copy_continued(const TensorView& in, std::span<const int64_t> anchor, Border border,
                    const MutableTensorView& out) {
  const int rank = in.shape().rank();
  const auto bytes = static_cast<int>(tensor::size_of(in.dtype()));
  const Strides strides = dense_strides(in.shape());
  std::array<memory::ScratchVector<int64_t>, tensor::kMaxRank> offsets;
  for (int axis = 0; axis < rank; ++axis) {
    offsets[axis].reserve(static_cast<size_t>(out.shape()[axis]));
    for (int64_t i = 0; i < out.shape()[axis]; ++i) {
      offsets[axis].push_back(border_place(border, anchor[axis] + i, in.shape()[axis]) * strides[axis]);
    }
  }
  auto* to = static_cast<std::byte*>(out.data);
  std::array<int64_t, tensor::kMaxRank> place{};
  const int64_t volume = out.volume();
  for (int64_t i = 0; i < volume; ++i, to += bytes) {
    int64_t offset = 0;
    for (int axis = 0; axis < rank; ++axis) {
      offset += offsets[axis][place[axis]];
    }
    std::copy_n(at_offset(in.data, offset, bytes), bytes, to);
    for (int axis = rank - 1; axis >= 0 && ++place[axis] == out.shape()[axis]; --axis) {
      place[axis] = 0;
    }
  }
}

}  // namespace

Status slice(const TensorView& in, std::span<const int64_t> anchor, const FillValues& fill, int channel_axis,
             const MutableTensorView& out) {
  FOREBAY_RETURN_IF_ERROR(check(in, anchor, out));
  FOREBAY_RETURN_IF_ERROR(check_places(anchor));
  FOREBAY_RETURN_IF_ERROR(fill.check("slice: fill", out.spec, channel_axis));
  return caught([&]() -> Status {
    copy_window(in, anchor, fill, channel_axis, out);
    return ok_status();
  });
}

Status slice_continued(const TensorView& in, std::span<const int64_t> anchor, Border border,
                       const MutableTensorView& out) {
  FOREBAY_RETURN_IF_ERROR(check(in, anchor, out));
  if (out.volume() == 0) {
    return ok_status();
  }
  if (in.volume() == 0 || border == Border::kConstant) {
    return invalid_argument("an empty input of shape {} cannot be continued", in.shape().to_string());
  }
  return caught([&]() -> Status {
    copy_continued(in, anchor, border, out);
    return ok_status();
  });
}

namespace {

struct SubscriptedAxis {
  int64_t first = 0;
  int64_t count = 0;
  int64_t step = 1;
  bool is_index = false;
};

Result<SubscriptedAxis> subscript_axis(const Subscript& subscript, int64_t extent) {
  if (subscript.is_index) {
    const int64_t index = subscript.start.value_or(0);
    const int64_t at = index < 0 ? index + extent : index;
    if (at < 0 || at >= extent) {
      return out_of_range("index {} is out of range: an axis of {} has the bounds {} and {}", index, extent,
                          -extent, extent - 1);
    }
    return SubscriptedAxis{at, 1, 1, true};
  }
  if (subscript.step == 0) {
    return invalid_argument("the step of a subscript cannot be zero");
  }
  const bool forward = subscript.step > 0;
  const int64_t lowest = forward ? 0 : -1;
  const int64_t highest = forward ? extent : extent - 1;
  const auto bound = [&](const std::optional<int64_t>& value, int64_t otherwise) {
    if (!value) {
      return otherwise;
    }
    return std::clamp(*value < 0 ? *value + extent : *value, lowest, highest);
  };
  const int64_t first = bound(subscript.start, forward ? lowest : highest);
  const int64_t stop = bound(subscript.stop, forward ? highest : lowest);
  const int64_t distance = forward ? stop - first : first - stop;
  if (distance <= 0) {
    return SubscriptedAxis{0, 0, 1, false};
  }
  const uint64_t stride =
      forward ? static_cast<uint64_t>(subscript.step) : -static_cast<uint64_t>(subscript.step);
  const auto count = static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / stride) + 1;
  return SubscriptedAxis{first, count, count == 1 ? 1 : subscript.step, false};
}

Result<std::vector<SubscriptedAxis>> subscript_axes(const Shape& in, std::span<const Subscript> subscripts) {
  if (static_cast<int>(subscripts.size()) > in.rank()) {
    return invalid_argument("Too many indices: {} subscripts for a tensor of {} dimension{}",
                            subscripts.size(), in.rank(), in.rank() == 1 ? "" : "s");
  }
  std::vector<SubscriptedAxis> axes;
  for (int axis = 0; axis < in.rank(); ++axis) {
    const bool is_given = axis < static_cast<int>(subscripts.size());
    FOREBAY_ASSIGN_OR_RETURN(const SubscriptedAxis part,
                             subscript_axis(is_given ? subscripts[axis] : Subscript{}, in[axis]));
    axes.push_back(part);
  }
  return axes;
}

}  // namespace

Result<Shape> subscripted_shape(const Shape& in, std::span<const Subscript> subscripts) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<SubscriptedAxis> axes, subscript_axes(in, subscripts));
  Shape shape;
  for (const SubscriptedAxis& axis : axes) {
    if (!axis.is_index) {
      shape.push_back(axis.count);
    }
  }
  return shape;
}

Status subscript(const TensorView& in, std::span<const Subscript> subscripts, const MutableTensorView& out) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<SubscriptedAxis> axes, subscript_axes(in.shape(), subscripts));
  FOREBAY_ASSIGN_OR_RETURN(const Shape shape, subscripted_shape(in.shape(), subscripts));
  if (!(shape == out.shape()) || in.dtype() != out.dtype()) {
    return invalid_argument("subscript: {} {} does not give {} {}", tensor::name_of(in.dtype()),
                            shape.to_string(), tensor::name_of(out.dtype()), out.shape().to_string());
  }
  const int bytes = static_cast<int>(tensor::size_of(in.dtype()));
  const Strides dense = dense_strides(in.shape());
  Strides strides{};
  int64_t offset = 0;
  int kept = 0;
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    offset += axes[axis].first * dense[axis];
    if (!axes[axis].is_index) {
      strides[kept++] = axes[axis].step * dense[axis];
    }
  }
  if (shape.volume() > 0) {
    copy_strided(shape, bytes, at_offset(in.data, offset, bytes), strides, out.data, dense_strides(shape));
  }
  return ok_status();
}

}  // namespace forebay::kernels
