#include "forebay/codec/base_rows.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "forebay/codec/channel_map.h"
#include "forebay/memory/copy.h"

namespace forebay::codec {
namespace {

/// Weights that sum to 2^kBits. 16-bit values times 15-bit weights stay below 2^31.
template <uint32_t kRed, uint32_t kGreen, uint32_t kBlue, int kBits>
struct WholeLuma {
  uint32_t operator()(uint32_t red, uint32_t green, uint32_t blue) const {
    return (red * kRed + green * kGreen + blue * kBlue + (1U << (kBits - 1))) >> kBits;
  }
};

using Luma14 = WholeLuma<4899, 9617, 1868, 14>;
using Luma15 = WholeLuma<9798, 19235, 3735, 15>;

template <class T>
struct FloatLuma {
  T operator()(T red, T green, T blue) const {
    const float luma = (0.299F * static_cast<float>(red) + 0.587F * static_cast<float>(green)) +
                       0.114F * static_cast<float>(blue);
    if constexpr (std::is_floating_point_v<T>) {
      return luma;
    } else {
      return static_cast<T>(std::min<double>(luma + 0.5, std::numeric_limits<T>::max()));
    }
  }
};

template <class T>
void convert_row(BaseForm form, int channels, Luma luma, const std::byte* pixels, std::byte* target,
                 int64_t count) {
  const T* source = reinterpret_cast<const T*>(pixels);
  T* out = reinterpret_cast<T*>(target);
  if constexpr (sizeof(T) <= 2) {
    if (luma == Luma::k14Bits) {
      return map_channels(form, channels, source, out, count, Luma14());
    }
    if (luma == Luma::k15Bits) {
      return map_channels(form, channels, source, out, count, Luma15());
    }
  }
  map_channels(form, channels, source, out, count, FloatLuma<T>());
}

}  // namespace

BaseRows::BaseRows(const ImageHeader& header, const BaseRequest& request, int channels, Luma luma)
    : request_(request),
      channels_(channels),
      luma_(luma),
      dtype_(base_dtype(header, request.form)),
      pixel_bytes_(channels * static_cast<int64_t>(tensor::size_of(dtype_))),
      is_in_form_(is_in_form(request.form, channels)) {
}

std::byte* BaseRows::place(int64_t y) const {
  return is_in_form_ && request_.direct != nullptr ? request_.direct + y * request_.pitch_bytes : nullptr;
}

Status BaseRows::put(int64_t y, const std::byte* pixels) {
  const int64_t width = request_.window.width;
  std::byte* target = request_.direct == nullptr ? nullptr : request_.direct + y * request_.pitch_bytes;
  if (is_in_form_) {
    if (target == nullptr) {
      return request_.sink(y, pixels);
    }
    memory::copy(target, pixels, static_cast<size_t>(width * pixel_bytes_));
    return ok_status();
  }
  if (target != nullptr) {
    convert(pixels, target);
    return ok_status();
  }
  converted_.resize(static_cast<size_t>(width) * 3 * tensor::size_of(dtype_));
  convert(pixels, converted_.data());
  return request_.sink(y, converted_.data());
}

void BaseRows::convert(const std::byte* pixels, std::byte* target) const {
  const int64_t width = request_.window.width;
  switch (dtype_) {
    case tensor::DType::kUint16:
      return convert_row<uint16_t>(request_.form, channels_, luma_, pixels, target, width);
    case tensor::DType::kUint32:
      return convert_row<uint32_t>(request_.form, channels_, Luma::kFloat, pixels, target, width);
    case tensor::DType::kFloat:
      return convert_row<float>(request_.form, channels_, Luma::kFloat, pixels, target, width);
    default:
      return convert_row<uint8_t>(request_.form, channels_, luma_, pixels, target, width);
  }
}

}  // namespace forebay::codec
