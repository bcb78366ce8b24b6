#include "forebay/kernels/image/warp.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include "forebay/base/caught.h"
#include "forebay/kernels/generic/convert.h"
#include "forebay/kernels/image/sampled_rows.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::MutableTensorView;
using tensor::TensorView;

constexpr int kMaxWarpChannels = 1024;

// The input as depth x height x width x channels; images have depth 1.
template <class T>
struct Volume {
  const T* data;
  int64_t depth, height, width;
  int channels;

  // Outside: nullptr if there is a fill value, otherwise the nearest pixel.
  const T* pixel(int64_t z, int64_t y, int64_t x, bool has_fill) const {
    const bool is_inside = z >= 0 && z < depth && y >= 0 && y < height && x >= 0 && x < width;
    if (!is_inside) {
      if (has_fill) {
        return nullptr;
      }
      z = std::clamp<int64_t>(z, 0, depth - 1);
      y = std::clamp<int64_t>(y, 0, height - 1);
      x = std::clamp<int64_t>(x, 0, width - 1);
    }
    return data + ((z * height + y) * width + x) * channels;
  }
};

// A coordinate split into a pixel and the weight of the next one. Coordinates far outside are clamped.
struct Position {
  int64_t at;
  float fraction;

  explicit Position(float coordinate) {
    constexpr float kFar = 1e9f;
    coordinate = std::isnan(coordinate) ? -kFar : std::clamp(coordinate, -kFar, kFar);
    auto whole = static_cast<int32_t>(coordinate);  // cheaper than std::floor, which is a call on old targets
    whole -= static_cast<float>(whole) > coordinate ? 1 : 0;
    at = whole;
    fraction = coordinate - static_cast<float>(whole);
  }
};

/// kChannels: how many there are, or 0 for any number.
template <class T, int kChannels>
class Sampler {
 public:
  /// `fill_element`: the value that linear sampling uses for `fill`.
  Sampler(const Volume<T>& in, bool is_volume, const std::optional<FillValues>& fill, T fill_element)
      : in_(in),
        is_volume_(is_volume),
        has_fill_(fill.has_value()),
        fill_(fill.value_or(FillValues()).of(0)),
        fill_element_(static_cast<float>(fill_element)) {}

  template <class Out>
  void nearest(float x, float y, float z, Out* out) const {
    const T* pixel = in_.pixel(is_volume_ ? Position(z).at : 0, Position(y).at, Position(x).at, has_fill_);
    if constexpr (std::is_same_v<T, Out> && sizeof(T) <= 2) {  // which a float holds
      if (pixel != nullptr) {
        for (int c = 0; c < channels(); ++c) {
          out[c] = pixel[c];
        }
        return;
      }
    }
    for (int c = 0; c < channels(); ++c) {
      out[c] = convert_saturated<Out>(pixel != nullptr ? static_cast<float>(pixel[c]) : fill_);
    }
  }

  template <class Out>
  void linear(float x, float y, float z, Out* out) const {
    const Position px(x - 0.5f);
    const Position py(y - 0.5f);
    float upper[kRoom];
    float lower[kRoom];
    if (is_volume_) {
      const Position pz(z - 0.5f);
      float beyond[kRoom];
      slice(px, py, pz.at, upper, lower);
      blend(upper, lower, py.fraction, upper);
      slice(px, py, pz.at + 1, beyond, lower);
      blend(beyond, lower, py.fraction, lower);
      approach(upper, lower, pz.fraction, out);
    } else {
      slice(px, py, 0, upper, lower);
      approach(upper, lower, py.fraction, out);
    }
  }

 private:
  static constexpr int kRoom = kChannels > 0 ? kChannels : kMaxWarpChannels;

  int channels() const { return kChannels > 0 ? kChannels : in_.channels; }

  // The rows above and below, interpolated along x.
  void slice(const Position& x, const Position& y, int64_t z, float* upper, float* lower) const {
    row(x, y.at, z, upper);
    row(x, y.at + 1, z, lower);
  }

  void row(const Position& x, int64_t y, int64_t z, float* out) const {
    const T* left = in_.pixel(z, y, x.at, has_fill_);
    const T* right = in_.pixel(z, y, x.at + 1, has_fill_);
    const float rest = 1 - x.fraction;
    for (int c = 0; c < channels(); ++c) {
      out[c] = value(left, c) * rest + value(right, c) * x.fraction;
    }
  }

  // As in DALI: the last axis through the difference, the others with two weights.
  void blend(const float* a, const float* b, float fraction, float* out) const {
    const float rest = 1 - fraction;
    for (int c = 0; c < channels(); ++c) {
      out[c] = a[c] * rest + b[c] * fraction;
    }
  }

  template <class Out>
  void approach(const float* a, const float* b, float fraction, Out* out) const {
    for (int c = 0; c < channels(); ++c) {
      out[c] = convert_saturated<Out>(a[c] + (b[c] - a[c]) * fraction);
    }
  }

  float value(const T* pixel, int channel) const {
    return pixel != nullptr ? static_cast<float>(pixel[channel]) : fill_element_;
  }

  Volume<T> in_;
  bool is_volume_;
  bool has_fill_;
  float fill_;
  float fill_element_;
};

// The input coordinates of one output row, pixel by pixel, rounded like DALI's: a row is processed in tiles,
// the first pixels of tiles are a tile's step apart, and within a tile the position advances by addition.
// Nearest neighbours close to a pixel border, and linear sampling next to a very different fill value, depend
// on it.
class RowCoordinates {
 public:
  RowCoordinates(const AffineMatrix& map, float y, float z) : dimensions_(map.dimensions()) {
    for (int i = 0; i < dimensions_; ++i) {
      step_[i] = map.at(i, 0);
      float start = map.at(i, dimensions_) + map.at(i, 0) * 0.5f + map.at(i, 1) * y;
      if (dimensions_ == 3) {
        start += map.at(i, 2) * z;
      }
      tile_[i] = start;
      at_[i] = start;
    }
  }

  const std::array<float, 3>& at() const { return at_; }

  void advance() {
    const bool is_next_tile = ++x_ % kTile == 0;
    for (int i = 0; i < dimensions_; ++i) {
      if (is_next_tile) {
        tile_[i] += step_[i] * kTile;
        at_[i] = tile_[i];
      } else {
        at_[i] += step_[i];
      }
    }
  }

 private:
  static constexpr int kTile = 256;

  int dimensions_;
  int64_t x_ = 0;
  std::array<float, 3> step_{};
  std::array<float, 3> tile_{};
  std::array<float, 3> at_{};
};

/// Linearly, images of three bytes a pixel.
void warp_rows(const Volume<uint8_t>& in, const AffineMatrix& map, const Sampler<uint8_t, 3>& sampler,
               int64_t height, int64_t width, uint8_t* out) {
  memory::ScratchArray<float> places(static_cast<size_t>(2 * width));
  const std::span<float> xs(places.data(), static_cast<size_t>(width));
  const std::span<float> ys(places.data() + width, static_cast<size_t>(width));
  for (int64_t y = 0; y < height; ++y, out += 3 * width) {
    RowCoordinates row(map, static_cast<float>(y) + 0.5f, 0.5f);
    for (size_t x = 0; x < xs.size(); ++x, row.advance()) {
      xs[x] = row.at()[0];
      ys[x] = row.at()[1];
    }
    const auto alone = [&](int64_t x, uint8_t* pixel) {
      sampler.linear(xs[static_cast<size_t>(x)], ys[static_cast<size_t>(x)], 0.0f, pixel);
    };
    warp_linear_row({in.data, in.height, in.width}, xs, ys, alone, out);
  }
}

template <int kChannels, class In, class Out>
void warp_by(const Volume<In>& volume, const WarpOptions& options, const MutableTensorView& out) {
  const bool is_volume = options.map.dimensions() == 3;
  const tensor::Shape& shape = out.shape();
  const In fill_element = convert_saturated<In>(options.fill.value_or(FillValues()).as<Out>());
  const Sampler<In, kChannels> sampler(volume, is_volume, options.fill, fill_element);
  Out* target = static_cast<Out*>(out.data);
  if constexpr (kChannels == 3 && std::is_same_v<In, uint8_t> && std::is_same_v<Out, uint8_t>) {
    if (!is_volume && options.filter == WarpFilter::kLinear) {
      warp_rows(volume, options.map, sampler, shape[0], shape[1], target);
      return;
    }
  }
  const int64_t depth = is_volume ? shape[0] : 1;
  for (int64_t z = 0; z < depth; ++z) {
    for (int64_t y = 0; y < shape[shape.rank() - 3]; ++y) {
      RowCoordinates row(options.map, static_cast<float>(y) + 0.5f, static_cast<float>(z) + 0.5f);
      for (int64_t x = 0; x < shape[shape.rank() - 2]; ++x) {
        const auto& at = row.at();
        if (options.filter == WarpFilter::kNearest) {
          sampler.nearest(at[0], at[1], at[2], target);
        } else {
          sampler.linear(at[0], at[1], at[2], target);
        }
        target += volume.channels;
        row.advance();
      }
    }
  }
}

template <class In, class Out>
void warp_as(const TensorView& in, const WarpOptions& options, const MutableTensorView& out) {
  const tensor::Shape& shape = in.shape();
  const int rank = shape.rank();
  const Volume<In> volume{static_cast<const In*>(in.data), rank == 4 ? shape[0] : 1, shape[rank - 3],
                          shape[rank - 2], static_cast<int>(shape.back())};
  switch (volume.channels) {
    case 1:
      return warp_by<1, In, Out>(volume, options, out);
    case 3:
      return warp_by<3, In, Out>(volume, options, out);
    default:
      return warp_by<0, In, Out>(volume, options, out);
  }
}

/// Calls `function` with a value of the element type; false for types that cannot be sampled.
template <class Function>
bool visit_element(DType dtype, Function&& function) {
  switch (dtype) {
    case DType::kUint8:
      function(uint8_t{});
      return true;
    case DType::kInt16:
      function(int16_t{});
      return true;
    case DType::kUint16:
      function(uint16_t{});
      return true;
    case DType::kInt32:
      function(int32_t{});
      return true;
    case DType::kFloat:
      function(float{});
      return true;
    default:
      return false;
  }
}

template <class In>
void warp_from(const TensorView& in, const WarpOptions& options, const MutableTensorView& out) {
  if (out.dtype() == in.dtype()) {
    warp_as<In, In>(in, options, out);
    return;
  }
  if constexpr (std::is_same_v<In, float>) {
    visit_element(out.dtype(), [&](auto element) { warp_as<In, decltype(element)>(in, options, out); });
  } else {
    warp_as<In, float>(in, options, out);
  }
}

bool is_element(DType dtype) {
  return visit_element(dtype, [](auto) {});
}

}  // namespace

Status warp(const TensorView& in, const WarpOptions& options, const MutableTensorView& out) {
  const int dimensions = options.map.dimensions();
  if ((dimensions != 2 && dimensions != 3) || in.shape().rank() != dimensions + 1 ||
      out.shape().rank() != dimensions + 1 || in.shape().back() != out.shape().back()) {
    return invalid_argument("warp in {} dimensions: {} to {}", dimensions, in.shape().to_string(),
                            out.shape().to_string());
  }
  if (in.volume() == 0 || in.shape().back() > kMaxWarpChannels) {
    return invalid_argument("warp: an input of {}", in.shape().to_string());
  }
  if (!is_element(in.dtype()) || !is_element(out.dtype())) {
    return invalid_argument("warp takes and gives uint8, int16, uint16, int32 and float, not {} to {}",
                            tensor::name_of(in.dtype()), tensor::name_of(out.dtype()));
  }
  if (out.dtype() != in.dtype() && out.dtype() != DType::kFloat && in.dtype() != DType::kFloat) {
    return invalid_argument("warp gives the type of its input or float, not {}",
                            tensor::name_of(out.dtype()));
  }
  return caught([&] {
    visit_element(in.dtype(), [&](auto element) { warp_from<decltype(element)>(in, options, out); });
    return ok_status();
  });
}

}  // namespace forebay::kernels
