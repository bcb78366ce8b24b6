#include "forebay/kernels/image/adjust.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "forebay/kernels/image/adjust_hue.h"
#include "forebay/memory/copy.h"

namespace forebay::kernels {
namespace {

using tensor::DType;

constexpr int kByteLevels = 256;

template <class T>
inline constexpr bool kIsByteImage = std::is_same_v<T, uint8_t>;
template <class T>
inline constexpr float kLargestValue = kIsByteImage<T> ? 255.0f : 1.0f;
/// What 1 becomes as a byte before it is cut, so that all bytes are equally wide.
constexpr float kUnitAsByte = 255.999f;
constexpr float kByteAsUnit = 1.0f / 255.0f;

/// An image, HWC.
template <class T>
struct AdjustedPixels {
  const T* in;
  T* out;
  int64_t height;
  int64_t width;
  int64_t channels;

  int64_t count() const { return height * width; }
  int64_t elements() const { return count() * channels; }
};

template <class T>
T stored_value(float value) {
  return static_cast<T>(std::clamp(value, 0.0f, kLargestValue<T>));
}

/// Replaces the elements from `start` on, in steps of `step`, by a function of each.
template <class T, class Function>
void map_pixels(const AdjustedPixels<T>& image, int64_t start, int64_t step, Function function) {
  const int64_t elements = image.elements();
  if constexpr (kIsByteImage<T>) {
    std::array<T, kByteLevels> levels;
    for (int level = 0; level < kByteLevels; ++level) {
      levels[static_cast<size_t>(level)] = function(static_cast<T>(level));
    }
    for (int64_t i = start; i < elements; i += step) {
      image.out[i] = levels[image.in[i]];
    }
  } else {
    for (int64_t i = start; i < elements; i += step) {
      image.out[i] = function(image.in[i]);
    }
  }
}

template <class T, class Function>
void map_all_pixels(const AdjustedPixels<T>& image, Function function) {
  map_pixels(image, 0, 1, function);
}

template <class T>
void copy_pixels(const AdjustedPixels<T>& image) {
  memory::copy(image.out, image.in, static_cast<size_t>(image.elements()) * sizeof(T));
}

/// Of bytes a whole number.
template <class T>
float grey_of(const T* pixel) {
  const float red = 0.2989f * static_cast<float>(pixel[0]);
  const float grey = red + 0.587f * static_cast<float>(pixel[1]) + 0.114f * static_cast<float>(pixel[2]);
  return kIsByteImage<T> ? static_cast<float>(static_cast<int>(grey)) : grey;
}

template <class T>
float mean_grey(const AdjustedPixels<T>& image) {
  double sum = 0;
  for (int64_t y = 0; y < image.height; ++y) {
    const T* row = image.in + y * image.width * image.channels;
    std::conditional_t<kIsByteImage<T>, int64_t, double> of_row = 0;
    for (int64_t x = 0; x < image.width; ++x) {
      if (image.channels == 1) {
        of_row += row[x];
      } else {
        of_row += static_cast<decltype(of_row)>(grey_of(row + 3 * x));
      }
    }
    sum += static_cast<double>(of_row);
  }
  return static_cast<float>(sum / static_cast<double>(image.count()));
}

template <class T>
void adjust_saturation(const AdjustedPixels<T>& image, float factor) {
  if (image.channels == 1) {
    return copy_pixels(image);
  }
  const float rest = 1.0f - factor;
  for (int64_t i = 0; i < image.elements(); i += 3) {
    const float grey = grey_of(image.in + i) * rest;
    for (int64_t channel = i; channel < i + 3; ++channel) {
      image.out[channel] = stored_value<T>(static_cast<float>(image.in[channel]) * factor + grey);
    }
  }
}

template <class T>
void make_grey(const AdjustedPixels<T>& image) {
  if (image.channels == 1) {
    return copy_pixels(image);
  }
  for (int64_t i = 0; i < image.elements(); i += 3) {
    const T grey = static_cast<T>(grey_of(image.in + i));
    image.out[i] = image.out[i + 1] = image.out[i + 2] = grey;
  }
}

template <class T>
void adjust_hue(const AdjustedPixels<T>& image, float turn) {
  if (image.channels == 1) {
    return copy_pixels(image);
  }
  for (int64_t i = 0; i < image.elements(); i += 3) {
    const T* in = image.in + i;
    T* out = image.out + i;
    if constexpr (kIsByteImage<T>) {
      const Rgb rgb =
          turned_hue({static_cast<float>(in[0]) * kByteAsUnit, static_cast<float>(in[1]) * kByteAsUnit,
                      static_cast<float>(in[2]) * kByteAsUnit},
                     turn);
      out[0] = static_cast<T>(rgb.red * kUnitAsByte);
      out[1] = static_cast<T>(rgb.green * kUnitAsByte);
      out[2] = static_cast<T>(rgb.blue * kUnitAsByte);
    } else {
      const Rgb rgb = turned_hue({in[0], in[1], in[2]}, turn);
      out[0] = rgb.red;
      out[1] = rgb.green;
      out[2] = rgb.blue;
    }
  }
}

/// The mean of 3 x 3 elements in which the middle counts five times: of bytes the nearest whole number.
template <class T>
float smoothed_element(const T* at, int64_t row, int64_t pixel) {
  using Sum = std::conditional_t<kIsByteImage<T>, int, float>;
  Sum sum = 0;
  for (const int64_t line : {-row, int64_t{0}, row}) {
    sum +=
        static_cast<Sum>(at[line - pixel]) + static_cast<Sum>(at[line]) + static_cast<Sum>(at[line + pixel]);
  }
  sum += 4 * static_cast<Sum>(at[0]);
  if constexpr (kIsByteImage<T>) {
    return static_cast<float>((2 * sum + 13) / 26);
  } else {
    return sum / 13.0f;
  }
}

template <class T>
void adjust_sharpness(const AdjustedPixels<T>& image, float factor) {
  copy_pixels(image);
  const float rest = 1.0f - factor;
  const int64_t row = image.width * image.channels;
  for (int64_t y = 1; y < image.height - 1; ++y) {
    for (int64_t i = y * row + image.channels; i < (y + 1) * row - image.channels; ++i) {
      const float value = static_cast<float>(image.in[i]);
      const float difference = smoothed_element(image.in + i, row, image.channels) - value;
      image.out[i] = stored_value<T>(value + difference * rest);
    }
  }
}

template <class T>
void posterize(const AdjustedPixels<T>& image, int bits) {
  if constexpr (kIsByteImage<T>) {
    const int mask = 0xff & ~((1 << (8 - bits)) - 1);
    map_all_pixels(image, [&](T value) { return static_cast<T>(value & mask); });
  } else {
    const auto levels = static_cast<float>(1 << bits);
    map_all_pixels(image, [&](T value) {
      return std::clamp(std::floor(value * levels), 0.0f, levels - 1) * (1.0f / levels);
    });
  }
}

template <class T>
T inverse_of_value(T value) {
  return static_cast<T>(kLargestValue<T> - static_cast<float>(value));
}

template <class T>
void stretch_channels(const AdjustedPixels<T>& image) {
  for (int64_t channel = 0; channel < image.channels; ++channel) {
    T least = image.in[channel];
    T most = least;
    for (int64_t i = channel; i < image.elements(); i += image.channels) {
      least = std::min(least, image.in[i]);
      most = std::max(most, image.in[i]);
    }
    const bool is_flat = least == most;
    const float scale =
        is_flat ? 1.0f : (static_cast<float>(most) - static_cast<float>(least)) * (1.0f / kLargestValue<T>);
    const float first = is_flat ? 0.0f : static_cast<float>(least);
    map_pixels(image, channel, image.channels,
               [&](T value) { return stored_value<T>((static_cast<float>(value) - first) / scale); });
  }
}

uint8_t level_of(uint8_t value) {
  return value;
}

uint8_t level_of(float value) {
  return value > 0 ? static_cast<uint8_t>(std::min(value * kUnitAsByte, 255.0f)) : 0;  // 0 for NaN, too
}

template <class T>
void equalize_channel(const AdjustedPixels<T>& image, int64_t channel) {
  std::array<int64_t, kByteLevels> histogram{};
  for (int64_t i = channel; i < image.elements(); i += image.channels) {
    ++histogram[level_of(image.in[i])];
  }
  int last = kByteLevels - 1;
  while (last > 0 && histogram[static_cast<size_t>(last)] == 0) {
    --last;
  }
  const int64_t step = (image.count() - histogram[static_cast<size_t>(last)]) / 255;
  std::array<T, kByteLevels> levels{};
  int64_t below = 0;
  for (size_t level = 0; level < kByteLevels; ++level) {
    const int64_t place =
        step == 0 ? static_cast<int64_t>(level) : std::min<int64_t>(255, (below + step / 2) / step);
    levels[level] =
        kIsByteImage<T> ? static_cast<T>(place) : static_cast<T>(static_cast<float>(place) * kByteAsUnit);
    below += histogram[level];
  }
  map_pixels(image, channel, image.channels, [&](T value) { return levels[level_of(value)]; });
}

template <class T>
void adjust_gamma(const AdjustedPixels<T>& image, float exponent) {
  map_all_pixels(image, [&](T value) {
    if constexpr (kIsByteImage<T>) {
      return level_of(std::pow(static_cast<float>(value) * kByteAsUnit, exponent));
    } else {
      return std::pow(value, exponent);
    }
  });
}

template <class T>
void adjust_pixels(const AdjustedPixels<T>& image, Adjustment adjustment, float amount) {
  switch (adjustment) {
    case Adjustment::kNone:
      return copy_pixels(image);
    case Adjustment::kBrightness:
      return map_all_pixels(image,
                            [&](T value) { return stored_value<T>(static_cast<float>(value) * amount); });
    case Adjustment::kContrast: {
      const float mean = mean_grey(image) * (1.0f - amount);
      return map_all_pixels(
          image, [&](T value) { return stored_value<T>(static_cast<float>(value) * amount + mean); });
    }
    case Adjustment::kSaturation:
      return adjust_saturation(image, amount);
    case Adjustment::kHue:
      return adjust_hue(image, amount);
    case Adjustment::kSharpness:
      return adjust_sharpness(image, amount);
    case Adjustment::kPosterize:
      return posterize(image, static_cast<int>(amount));
    case Adjustment::kSolarize:
      return map_all_pixels(image, [&](T value) {
        return static_cast<float>(value) >= amount ? inverse_of_value(value) : value;
      });
    case Adjustment::kAutocontrast:
      return stretch_channels(image);
    case Adjustment::kEqualize:
      for (int64_t channel = 0; channel < image.channels; ++channel) {
        equalize_channel(image, channel);
      }
      return;
    case Adjustment::kInvert:
      return map_all_pixels(image, [](T value) { return inverse_of_value(value); });
    case Adjustment::kGrayscale:
      return make_grey(image);
    case Adjustment::kGamma:
      return adjust_gamma(image, amount);
  }
}

Status check_adjustment(Adjustment adjustment, float amount) {
  const auto is_within = [&](float least, float most) { return amount >= least && amount <= most; };
  constexpr float kMost = 3.0e38f;
  switch (adjustment) {
    case Adjustment::kBrightness:
    case Adjustment::kContrast:
    case Adjustment::kSaturation:
    case Adjustment::kSharpness:
      return is_within(0, kMost) ? ok_status()
                                 : invalid_argument("a factor of {}; it must be 0 or more", amount);
    case Adjustment::kGamma:
      return is_within(0, kMost) ? ok_status()
                                 : invalid_argument("a gamma of {}; it must be 0 or more", amount);
    case Adjustment::kHue:
      return is_within(-0.5f, 0.5f)
                 ? ok_status()
                 : invalid_argument("a turn of hue of {}; -0.5 to 0.5 is possible", amount);
    case Adjustment::kPosterize:
      return is_within(0, 8) ? ok_status() : invalid_argument("{} bits; 0 to 8 can stay", amount);
    default:
      return ok_status();
  }
}

template <class T>
void adjust_image_as(const tensor::TensorView& in, Adjustment adjustment, float amount,
                     const tensor::MutableTensorView& out) {
  const tensor::Shape& shape = in.shape();
  adjust_pixels(AdjustedPixels<T>{in.as<T>(), out.as<T>(), shape[0], shape[1], shape[2]}, adjustment, amount);
}

}  // namespace

Status adjust_image(const tensor::TensorView& in, Adjustment adjustment, float amount,
                    const tensor::MutableTensorView& out) {
  const bool is_image = in.shape().rank() == 3 && (in.shape()[2] == 1 || in.shape()[2] == 3);
  const bool has_type = in.dtype() == DType::kUint8 || in.dtype() == DType::kFloat;
  if (!is_image || !has_type) {
    return invalid_argument(
        "images with 1 or 3 channels, channels last, of UINT8 or FLOAT are adjusted, not {}",
        in.spec.to_string());
  }
  FOREBAY_RETURN_IF_ERROR(check_adjustment(adjustment, amount));
  if (in.volume() == 0) {
    return ok_status();
  }
  if (in.dtype() == DType::kUint8) {
    adjust_image_as<uint8_t>(in, adjustment, amount, out);
  } else {
    adjust_image_as<float>(in, adjustment, amount, out);
  }
  return ok_status();
}

}  // namespace forebay::kernels
