#include "forebay/kernels/image/remap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "forebay/base/caught.h"
#include "forebay/kernels/filters/filter_lines.h"
#include "forebay/kernels/image/sampled_rows.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

using memory::ScratchArray;
using tensor::DType;
using tensor::MutableTensorView;
using tensor::TensorView;

constexpr int64_t kMaxRemapChannels = 1024;

/// A place along one axis: a pixel, and how far behind its centre.
struct RemapPlace {
  int64_t at;
  float fraction;
};

RemapPlace remap_place(float coordinate) {
  constexpr float kFar = 1e9f;  // beyond every image, within the integers
  const float within = coordinate >= -kFar ? (coordinate <= kFar ? coordinate : kFar) : -kFar;
  auto at = static_cast<int32_t>(within);  // cheaper than std::floor, which is a call on old targets
  at -= static_cast<float>(at) > within ? 1 : 0;
  return {at, within - static_cast<float>(at)};
}

std::array<float, 4> cubic_weights(float t) {
  constexpr float kA = -0.75f;
  const float after = t + 1;
  const float rest = 1 - t;
  std::array<float, 4> weights{};
  weights[0] = ((kA * after - 5 * kA) * after + 8 * kA) * after - 4 * kA;
  weights[1] = ((kA + 2) * t - (kA + 3)) * t * t + 1;
  weights[2] = ((kA + 2) * rest - (kA + 3)) * rest * rest + 1;
  weights[3] = 1 - weights[0] - weights[1] - weights[2];
  return weights;
}

/// An image and what lies around it.
template <class T>
class RemapSource {
 public:
  RemapSource(const TensorView& in, const RemapOptions& options)
      : data_(in.as<T>()),
        height_(in.shape()[0]),
        width_(in.shape()[1]),
        channels_(in.shape()[2]),
        border_(options.border),
        halves_away_(options.halves_away),
        fill_(static_cast<size_t>(channels_)) {
    for (int64_t c = 0; c < channels_; ++c) {
      fill_[static_cast<size_t>(c)] = options.fill.as<T>(c);
    }
  }

  int64_t channels() const { return channels_; }

  const T* pixel(int64_t y, int64_t x) const {
    const int64_t row = border_place(border_, y, height_);
    const int64_t column = border_place(border_, x, width_);
    return row < 0 || column < 0 ? fill_.data() : data_ + (row * width_ + column) * channels_;
  }

  /// kChannels: how many there are, or 0 for any number.
  template <int kChannels>
  void nearest(float x, float y, T* out) const {
    const int64_t column = nearest_to(x);
    const int64_t row = nearest_to(y);
    const bool is_inside = column >= 0 && column < width_ && row >= 0 && row < height_;
    const T* from = is_inside ? data_ + (row * width_ + column) * channels_ : pixel(row, column);
    const int64_t channels = kChannels > 0 ? kChannels : channels_;
    for (int64_t c = 0; c < channels; ++c) {
      out[c] = from[c];
    }
  }

  /// kChannels: how many there are, or 0 for any number.
  template <int kChannels>
  void linear(float x, float y, T* out) const {
    const RemapPlace px = remap_place(x);
    const RemapPlace py = remap_place(y);
    std::array<const T*, 4> corners;
    if (px.at >= 0 && px.at < width_ - 1 && py.at >= 0 && py.at < height_ - 1) {
      corners[0] = data_ + (py.at * width_ + px.at) * channels_;
      corners[1] = corners[0] + channels_;
      corners[2] = corners[0] + width_ * channels_;
      corners[3] = corners[2] + channels_;
    } else {
      corners = {pixel(py.at, px.at), pixel(py.at, px.at + 1), pixel(py.at + 1, px.at),
                 pixel(py.at + 1, px.at + 1)};
    }
    const int64_t channels = kChannels > 0 ? kChannels : channels_;
    for (int64_t c = 0; c < channels; ++c) {
      const float upper = between(corners[0][c], corners[1][c], px.fraction);
      const float lower = between(corners[2][c], corners[3][c], px.fraction);
      out[c] = rounded(upper + (lower - upper) * py.fraction);
    }
  }

  void cubic(float x, float y, T* out) const {
    const RemapPlace px = remap_place(x);
    const RemapPlace py = remap_place(y);
    const std::array<float, 4> along = cubic_weights(px.fraction);
    const std::array<float, 4> across = cubic_weights(py.fraction);
    std::array<const T*, 16> taps;
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 4; ++i) {
        taps[static_cast<size_t>(4 * j + i)] = pixel(py.at + j - 1, px.at + i - 1);
      }
    }
    for (int64_t c = 0; c < channels_; ++c) {
      float sum = 0;
      for (size_t tap = 0; tap < 16; ++tap) {
        sum += static_cast<float>(taps[tap][c]) * (across[tap / 4] * along[tap % 4]);
      }
      out[c] = rounded(sum);
    }
  }

 private:
  int64_t nearest_to(float coordinate) const {
    return remap_place(halves_away_ ? coordinate + 0.5f : std::nearbyint(coordinate)).at;
  }

  T rounded(float value) const {
    return halves_away_ ? convert_saturated<T>(value) : convert_to_even<T>(value);
  }

  static float between(T a, T b, float fraction) {
    const auto from = static_cast<float>(a);
    return from + (static_cast<float>(b) - from) * fraction;
  }

  const T* data_;
  int64_t height_;
  int64_t width_;
  int64_t channels_;
  Border border_;
  bool halves_away_;
  ScratchArray<T> fill_;
};

template <class T>
void remap_as(const TensorView& in, const RemapOptions& options, RemapRow row, const MutableTensorView& out) {
  const RemapSource<T> source(in, options);
  const int64_t width = out.shape()[1];
  ScratchArray<float> places(static_cast<size_t>(2 * width));
  const std::span<float> xs(places.data(), static_cast<size_t>(width));
  const std::span<float> ys(places.data() + width, static_cast<size_t>(width));
  T* to = out.as<T>();
  for (int64_t y = 0; y < out.shape()[0]; ++y) {
    row(y, xs, ys);
    const auto each = [&](auto sample) {
      for (size_t x = 0; x < xs.size(); ++x, to += source.channels()) {
        sample(xs[x], ys[x], to);
      }
    };
    switch (options.filter) {
      case RemapFilter::kNearest:
        if (source.channels() == 3) {
          each([&](float px, float py, T* pixel) { source.template nearest<3>(px, py, pixel); });
        } else {
          each([&](float px, float py, T* pixel) { source.template nearest<0>(px, py, pixel); });
        }
        break;
      case RemapFilter::kLinear:
        if constexpr (std::is_same_v<T, uint8_t>) {
          if (source.channels() == 3) {
            const auto alone = [&](int64_t x, uint8_t* pixel) {
              source.template linear<3>(xs[static_cast<size_t>(x)], ys[static_cast<size_t>(x)], pixel);
            };
            remap_linear_row({in.as<T>(), in.shape()[0], in.shape()[1]}, xs, ys, options.halves_away, alone,
                             to);
            to += 3 * width;
            break;
          }
        }
        if (source.channels() == 3) {
          each([&](float px, float py, T* pixel) { source.template linear<3>(px, py, pixel); });
        } else if (source.channels() == 1) {
          each([&](float px, float py, T* pixel) { source.template linear<1>(px, py, pixel); });
        } else {
          each([&](float px, float py, T* pixel) { source.template linear<0>(px, py, pixel); });
        }
        break;
      case RemapFilter::kCubic:
        each([&](float px, float py, T* pixel) { source.cubic(px, py, pixel); });
        break;
    }
  }
}

template <class T>
inline constexpr bool kCanBeRemapped =
    std::is_same_v<T, uint8_t> || std::is_same_v<T, uint16_t> || std::is_same_v<T, int16_t> ||
    std::is_same_v<T, int32_t> || std::is_same_v<T, float>;

}  // namespace

Status remap(const TensorView& in, const RemapOptions& options, RemapRow row, const MutableTensorView& out) {
  const tensor::Shape& shape = in.shape();
  if (shape.rank() != 3 || out.shape().rank() != 3 || shape.back() != out.shape().back() ||
      in.dtype() != out.dtype() || shape.back() > kMaxRemapChannels) {
    return invalid_argument("{} cannot be sampled as {}", in.spec.to_string(), out.spec.to_string());
  }
  FOREBAY_RETURN_IF_ERROR(options.fill.check("fill_value", in.spec, 2));
  if (out.volume() == 0) {
    return ok_status();
  }
  if (in.volume() == 0) {
    return invalid_argument("an image without pixels, {}, cannot be sampled", in.spec.to_string());
  }
  return caught([&] {
    return tensor::visit_dtype(in.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (kCanBeRemapped<T>) {
        remap_as<T>(in, options, row, out);
        return ok_status();
      } else {
        return invalid_argument("{} cannot be sampled; cast it to UINT8, UINT16, INT16, INT32 or FLOAT",
                                in.spec.to_string());
      }
    });
  });
}

}  // namespace forebay::kernels
