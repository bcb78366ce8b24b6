#include "forebay/kernels/resampling/pillow_resize.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "forebay/kernels/resampling/pillow_passes.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

double box(double x) {
  return x > -0.5 && x <= 0.5 ? 1 : 0;
}

double bilinear(double x) {
  return std::abs(x) < 1 ? 1 - std::abs(x) : 0;
}

double hamming(double x) {
  x = std::abs(x);
  if (x == 0) {
    return 1;
  }
  if (x >= 1) {
    return 0;
  }
  const double angle = x * std::numbers::pi;
  return std::sin(angle) / angle * (0.54f + 0.46f * std::cos(angle));  // Pillow's constants are floats
}

double bicubic(double x) {
  constexpr double kA = -0.5;
  x = std::abs(x);
  if (x < 1) {
    return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1;
  }
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * kA : 0;
}

double pillow_sinc(double x) {
  if (x == 0) {
    return 1;
  }
  const double angle = x * std::numbers::pi;
  return std::sin(angle) / angle;
}

double lanczos(double x) {
  return -3.0 <= x && x < 3.0 ? pillow_sinc(x) * pillow_sinc(x / 3) : 0;
}

struct Filter {
  double (*function)(double);
  double support;
};

Filter filter_of(PillowFilter filter) {
  switch (filter) {
    case PillowFilter::kBox:
      return {box, 0.5};
    case PillowFilter::kHamming:
      return {hamming, 1};
    case PillowFilter::kBicubic:
      return {bicubic, 2};
    case PillowFilter::kLanczos:
      return {lanczos, 3};
    default:
      return {bilinear, 1};
  }
}

// For each output pixel, the first input pixel and the weights.
struct Taps {
  memory::ScratchVector<int> first;
  memory::ScratchVector<int> count;
  memory::ScratchVector<double> weights;
  int pitch = 0;

  const double* row(int out) const { return weights.data() + static_cast<size_t>(out) * pitch; }
};

Taps make_taps(int in_size, float low, float high, int out_size, const Filter& filter) {
  const double scale = static_cast<double>(high - low) / out_size;
  const double widening = std::max(scale, 1.0);
  const double support = filter.support * widening;
  const double step = 1.0 / widening;
  Taps taps;
  taps.pitch = static_cast<int>(std::ceil(support)) * 2 + 1;
  taps.first.resize(out_size);
  taps.count.resize(out_size);
  taps.weights.assign(static_cast<size_t>(taps.pitch) * out_size, 0);
  for (int x = 0; x < out_size; ++x) {
    const double center = low + (x + 0.5) * scale;
    const int begin = std::max(0, static_cast<int>(center - support + 0.5));
    const int end = std::min(in_size, static_cast<int>(center + support + 0.5));
    double* weights = taps.weights.data() + static_cast<size_t>(x) * taps.pitch;
    double sum = 0;
    for (int k = 0; k < end - begin; ++k) {
      weights[k] = filter.function((k + begin - center + 0.5) * step);
      sum += weights[k];
    }
    for (int k = 0; sum != 0 && k < end - begin; ++k) {
      weights[k] /= sum;
    }
    taps.first[x] = begin;
    taps.count[x] = end - begin;
  }
  return taps;
}

memory::ScratchVector<int32_t> to_fixed_point(const memory::ScratchVector<double>& weights) {
  memory::ScratchVector<int32_t> fixed(weights.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    fixed[i] = static_cast<int32_t>((weights[i] < 0 ? -0.5 : 0.5) + weights[i] * (1 << kPillowFractionBits));
  }
  return fixed;
}

// Sums of taps that are `stride` elements apart: fixed point for uint8, double for float.
struct FixedPointSum {
  using Weight = int32_t;
  using Value = uint8_t;
  static uint8_t sum(const uint8_t* in, ptrdiff_t stride, const int32_t* weights, int count) {
    int32_t total = 1 << (kPillowFractionBits - 1);
    for (int k = 0; k < count; ++k) {
      total += in[k * stride] * weights[k];
    }
    return to_byte(total);
  }
  static void three(const uint8_t* in, const int32_t* weights, int count, uint8_t* out) {
    int32_t totals[3] = {1 << (kPillowFractionBits - 1), 1 << (kPillowFractionBits - 1),
                         1 << (kPillowFractionBits - 1)};
    for (int k = 0; k < count; ++k, in += 3) {
      totals[0] += in[0] * weights[k];
      totals[1] += in[1] * weights[k];
      totals[2] += in[2] * weights[k];
    }
    out[0] = to_byte(totals[0]);
    out[1] = to_byte(totals[1]);
    out[2] = to_byte(totals[2]);
  }
  static void rows(const uint8_t* in, ptrdiff_t pitch, const int32_t* weights, int count, int size,
                   uint8_t* out) {
    pillow_blend_rows(in, pitch, weights, count, size, out);
  }
  static uint8_t to_byte(int32_t total) {
    return static_cast<uint8_t>(std::clamp(total >> kPillowFractionBits, 0, 255));
  }
};

struct DoubleSum {
  using Weight = double;
  using Value = float;
  static float sum(const float* in, ptrdiff_t stride, const double* weights, int count) {
    double total = 0;
    for (int k = 0; k < count; ++k) {
      total += static_cast<double>(in[k * stride]) * weights[k];
    }
    return static_cast<float>(total);
  }
  static void three(const float* in, const double* weights, int count, float* out) {
    for (int c = 0; c < 3; ++c) {
      out[c] = sum(in + c, 3, weights, count);
    }
  }
  static void rows(const float* in, ptrdiff_t pitch, const double* weights, int count, int size, float* out) {
    for (int i = 0; i < size; ++i) {
      out[i] = sum(in + i, pitch, weights, count);
    }
  }
};

template <class Sum>
using WeightsOf = memory::ScratchVector<typename Sum::Weight>;

// kChannels is 0 if only known at run time.
template <class Sum, int kChannels, class T>
void resample_row(const T* source, int known_channels, const Taps& taps, const WeightsOf<Sum>& weights,
                  int width, T* target) {
  const ptrdiff_t channels = kChannels != 0 ? kChannels : known_channels;
  for (int x = 0; x < width; ++x) {
    const T* first = source + taps.first[x] * channels;
    const auto* row = weights.data() + static_cast<size_t>(x) * taps.pitch;
    if constexpr (kChannels == 3) {
      Sum::three(first, row, taps.count[x], target);
      target += 3;
    } else {
      for (ptrdiff_t c = 0; c < channels; ++c) {
        *target++ = Sum::sum(first + c, channels, row, taps.count[x]);
      }
    }
  }
}

template <class Sum, class T>
void horizontal_pass(const ImageView<T>& in, const Taps& taps, const WeightsOf<Sum>& weights,
                     const MutableImageView<T>& out) {
  for (int y = 0; y < out.height; ++y) {
    if (in.channels == 3) {
      resample_row<Sum, 3>(in.row(y), 3, taps, weights, out.width, out.row(y));
    } else {
      resample_row<Sum, 0>(in.row(y), in.channels, taps, weights, out.width, out.row(y));
    }
  }
}

// `in` begins at row `first_row` of the image that the taps refer to.
template <class Sum, class T>
void vertical_pass(const ImageView<T>& in, int first_row, const Taps& taps, const WeightsOf<Sum>& weights,
                   const MutableImageView<T>& out) {
  for (int y = 0; y < out.height; ++y) {
    const T* first = in.row(taps.first[y] - first_row);
    const auto* row = weights.data() + static_cast<size_t>(y) * taps.pitch;
    Sum::rows(first, in.pitch, row, taps.count[y], out.width * out.channels, out.row(y));
  }
}

template <class Sum>
WeightsOf<Sum> weights_of(const Taps& taps) {
  if constexpr (std::is_same_v<Sum, FixedPointSum>) {
    return to_fixed_point(taps.weights);
  } else {
    return taps.weights;
  }
}

template <class T>
void copy_rows(const ImageView<T>& in, const MutableImageView<T>& out) {
  for (int y = 0; y < out.height; ++y) {
    std::copy_n(in.row(y), static_cast<ptrdiff_t>(out.width) * out.channels, out.row(y));
  }
}

// Pixels at floor(low + (i + 0.5) * scale), with the position advanced by addition, as Pillow does.
template <class T>
void nearest(const ImageView<T>& in, const PillowBox& box, const MutableImageView<T>& out) {
  const auto positions = [](float low, float high, int count, int limit) {
    const double step = static_cast<double>(high - low) / count;
    memory::ScratchVector<int> result(count);
    double at = low + step * 0.5;
    for (int& position : result) {
      position = std::clamp(static_cast<int>(at), 0, limit - 1);
      at += step;
    }
    return result;
  };
  const auto columns =
      positions(static_cast<float>(box.left), static_cast<float>(box.right), out.width, in.width);
  const auto rows =
      positions(static_cast<float>(box.top), static_cast<float>(box.bottom), out.height, in.height);
  for (int y = 0; y < out.height; ++y) {
    T* target = out.row(y);
    for (int x = 0; x < out.width; ++x) {
      const T* pixel = in.row(rows[y]) + static_cast<ptrdiff_t>(columns[x]) * in.channels;
      target = std::copy_n(pixel, in.channels, target);
    }
  }
}

template <class T>
Status check(const ImageView<T>& in, const PillowBox& box, const MutableImageView<T>& out) {
  const bool is_inside = box.left >= 0 && box.top >= 0 && box.right <= in.width && box.bottom <= in.height &&
                         box.left < box.right && box.top < box.bottom;
  if (!is_inside) {
    return invalid_argument("the box ({}, {}, {}, {}) is empty or leaves the image of {}x{}", box.left,
                            box.top, box.right, box.bottom, in.height, in.width);
  }
  if (out.width < 1 || out.height < 1 || out.channels != in.channels) {
    return invalid_argument("resizing to {}x{}x{} from {} channels", out.height, out.width, out.channels,
                            in.channels);
  }
  return ok_status();
}

template <class Sum, class T>
Status resize(const ImageView<T>& in, PillowFilter filter, const PillowBox& box,
              const MutableImageView<T>& out) {
  FOREBAY_RETURN_IF_ERROR(check(in, box, out));
  if (filter == PillowFilter::kNearest) {
    nearest(in, box, out);
    return ok_status();
  }
  const bool needs_horizontal = out.width != in.width || box.left != 0 || box.right != out.width;
  const bool needs_vertical = out.height != in.height || box.top != 0 || box.bottom != out.height;
  const Filter function = filter_of(filter);
  const Taps columns =
      make_taps(in.width, static_cast<float>(box.left), static_cast<float>(box.right), out.width, function);
  const Taps rows =
      make_taps(in.height, static_cast<float>(box.top), static_cast<float>(box.bottom), out.height, function);
  if (!needs_vertical) {
    if (needs_horizontal) {
      horizontal_pass<Sum>(in, columns, weights_of<Sum>(columns), out);
    } else {
      copy_rows(in, out);
    }
    return ok_status();
  }
  if (!needs_horizontal) {
    vertical_pass<Sum>(in, 0, rows, weights_of<Sum>(rows), out);
    return ok_status();
  }
  // Since Pillow 13 the vertical pass comes first if the height shrinks by more than twice as much as the
  // width.
  const int shrinks_by = in.height - out.height;
  if (shrinks_by > 0 && shrinks_by > 2 * static_cast<int64_t>(in.width - out.width)) {
    const ptrdiff_t pitch = static_cast<ptrdiff_t>(in.width) * in.channels;
    memory::ScratchVector<T> between(static_cast<size_t>(pitch) * out.height);
    const MutableImageView<T> low{between.data(), out.height, in.width, in.channels, pitch};
    vertical_pass<Sum>(in, 0, rows, weights_of<Sum>(rows), low);
    horizontal_pass<Sum, T>(low, columns, weights_of<Sum>(columns), out);
    return ok_status();
  }
  const int first_row = rows.first.front();
  const int row_count = rows.first.back() + rows.count.back() - first_row;
  const ptrdiff_t pitch = static_cast<ptrdiff_t>(out.width) * out.channels;
  memory::ScratchVector<T> between(static_cast<size_t>(pitch) * row_count);
  const MutableImageView<T> narrow{between.data(), row_count, out.width, out.channels, pitch};
  const ImageView<T> used{in.row(first_row), row_count, in.width, in.channels, in.pitch};
  horizontal_pass<Sum>(used, columns, weights_of<Sum>(columns), narrow);
  vertical_pass<Sum, T>(narrow, first_row, rows, weights_of<Sum>(rows), out);
  return ok_status();
}

}  // namespace

Status pillow_resize(const ImageView<uint8_t>& in, PillowFilter filter, const PillowBox& box,
                     const MutableImageView<uint8_t>& out) {
  return caught([&] { return resize<FixedPointSum>(in, filter, box, out); });
}

Status pillow_resize(const ImageView<float>& in, PillowFilter filter, const PillowBox& box,
                     const MutableImageView<float>& out) {
  return caught([&] { return resize<DoubleSum>(in, filter, box, out); });
}

}  // namespace forebay::kernels
