// What stands where no input reaches: one policy for windows, padding, warps and pasted images.
#pragma once

#include <concepts>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <type_traits>

#include "forebay/base/status.h"
#include "forebay/kernels/generic/convert.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// One value for all channels, or one a channel. Elements are made of them as convert_saturated() does:
/// rounded to the nearest integer, halves away from zero, and saturated. A bool is true of all but 0.
class FillValues {
 public:
  FillValues() = default;                   // 0
  FillValues(float value) : one_(value) {}  // NOLINT: a number is a fill value
  /// None is 0; several are borrowed.
  template <std::convertible_to<std::span<const float>> Values>
  FillValues(const Values& values)  // NOLINT: as are numbers
      : values_(values), one_(values_.empty() ? 0 : values_[0]) {}

  bool is_one_a_channel() const { return values_.size() > 1; }
  /// Of channels beyond the last one that has a value: 0.
  float of(int64_t channel) const {
    if (!is_one_a_channel()) {
      return one_;
    }
    return channel < std::ssize(values_) ? values_[static_cast<size_t>(channel)] : 0;
  }
  template <class T>
  T as(int64_t channel = 0) const {
    if constexpr (std::is_same_v<T, bool>) {
      return of(channel) != 0;
    }
    return convert_saturated<T>(of(channel));
  }

  /// invalid_argument, which speaks of the argument `name`, if there are several and not one for each channel
  /// of a tensor of `spec`; axis `channel_axis` (-1: none) has the channels.
  Status check(std::string_view name, const tensor::TensorSpec& spec, int channel_axis) const;

 private:
  std::span<const float> values_;
  float one_ = 0;
};

/// Sets the elements of `out` from `begin` up to `end` along each axis. Axis `channel_axis` has the channels;
/// it does not matter if one value is for all.
void fill_box(const tensor::MutableTensorView& out, const tensor::Shape& begin, const tensor::Shape& end,
              const FillValues& fill, int channel_axis);

/// Sets `count` elements, `stride` apart, from element `offset` of `data` on, all to the value of `channel`.
void fill_line(tensor::DType dtype, void* data, int64_t offset, int64_t stride, int64_t count,
               const FillValues& fill, int64_t channel = 0);

}  // namespace forebay::kernels
