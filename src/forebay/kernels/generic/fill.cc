#include "forebay/kernels/generic/fill.h"

#include <algorithm>

#include "forebay/kernels/generic/strided.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {

using tensor::DType;
using tensor::MutableTensorView;
using tensor::Shape;

Status FillValues::check(std::string_view name, const tensor::TensorSpec& spec, int channel_axis) const {
  const bool fits = !is_one_a_channel() || (channel_axis >= 0 && channel_axis < spec.shape.rank() &&
                                            std::ssize(values_) == spec.shape[channel_axis]);
  return fits ? ok_status()
              : invalid_argument("{} has {} values for {}; give one, or one per channel", name,
                                 values_.size(), spec.to_string());
}

namespace {

constexpr int64_t kFewChannels = 4;  // for which a pass each is fastest

/// Of a box from `offset` on: each element gets the value of its channel, the first of which is `channel`.
void fill_channels(const MutableTensorView& out, const Shape& extent, int64_t offset, const FillValues& fill,
                   int64_t channel, int channel_axis) {
  tensor::visit_dtype(out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    memory::ScratchArray<T> values(static_cast<size_t>(extent[channel_axis]));
    for (int64_t i = 0; i < extent[channel_axis]; ++i) {
      values.data()[i] = fill.as<T>(channel + i);
    }
    Strides of_values{};
    of_values[channel_axis] = 1;
    copy_strided(extent, sizeof(T), values.data(), of_values, out.as<T>() + offset,
                 dense_strides(out.shape()));
  });
}

}  // namespace

void fill_box(const MutableTensorView& out, const Shape& begin, const Shape& end, const FillValues& fill,
              int channel_axis) {
  const Strides strides = dense_strides(out.shape());
  const auto bytes = static_cast<int>(tensor::size_of(out.dtype()));
  Shape extent = end;
  int64_t offset = 0;
  for (int axis = 0; axis < extent.rank(); ++axis) {
    extent[axis] = std::max<int64_t>(0, end[axis] - begin[axis]);
    offset += begin[axis] * strides[axis];
  }
  if (extent.volume() == 0) {
    return;
  }
  int64_t channel = 0;
  int64_t channels = 1;
  if (fill.is_one_a_channel() && extent[channel_axis] > kFewChannels) {
    fill_channels(out, extent, offset, fill, begin[channel_axis], channel_axis);
    return;
  }
  if (fill.is_one_a_channel()) {
    channel = begin[channel_axis];
    channels = extent[channel_axis];
    extent[channel_axis] = 1;
  }
  for (int64_t i = 0; i < channels; ++i) {
    tensor::visit_dtype(out.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T value = fill.as<T>(channel + i);
      fill_strided(extent, bytes, &value,
                   out.as<T>() + offset + (channels == 1 ? 0 : i * strides[channel_axis]), strides);
    });
  }
}

void fill_line(DType dtype, void* data, int64_t offset, int64_t stride, int64_t count, const FillValues& fill,
               int64_t channel) {
  tensor::visit_dtype(dtype, [=, &fill](auto tag) {
    using T = typename decltype(tag)::type;
    T* at = static_cast<T*>(data) + offset;
    const T element = fill.as<T>(channel);
    if (stride == 1) {
      std::fill_n(at, count, element);
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      at[i * stride] = element;
    }
  });
}

}  // namespace forebay::kernels
