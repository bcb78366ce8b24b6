#include "forebay/kernels/image/warp.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "forebay/kernels/generic/convert.h"

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

  // nullptr outside when there is a fill value; the nearest pixel otherwise.
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

// A coordinate as a pixel and the share of the next one. Far outside is all the same.
struct Position {
  int64_t at;
  float fraction;

  explicit Position(float coordinate) {
    constexpr float kFar = 1e9f;
    coordinate = std::isnan(coordinate) ? -kFar : std::clamp(coordinate, -kFar, kFar);
    const float whole = std::floor(coordinate);
    at = static_cast<int64_t>(whole);
    fraction = coordinate - whole;
  }
};

template <class T>
class Sampler {
 public:
  Sampler(const Volume<T>& in, bool is_volume, std::optional<float> fill)
      : in_(in), is_volume_(is_volume), has_fill_(fill.has_value()), fill_(fill.value_or(0)) {}

  template <class Out>
  void nearest(float x, float y, float z, Out* out) const {
    const T* pixel = in_.pixel(is_volume_ ? Position(z).at : 0, Position(y).at, Position(x).at, has_fill_);
    for (int c = 0; c < in_.channels; ++c) {
      out[c] = convert_saturated<Out>(pixel != nullptr ? static_cast<float>(pixel[c]) : fill_);
    }
  }

  template <class Out>
  void linear(float x, float y, float z, Out* out) const {
    const Position px(x - 0.5f);
    const Position py(y - 0.5f);
    float values[2][kMaxWarpChannels];
    if (!is_volume_) {
      bilinear(px, py, 0, values[0]);
      store(values[0], out);
      return;
    }
    const Position pz(z - 0.5f);
    bilinear(px, py, pz.at, values[0]);
    bilinear(px, py, pz.at + 1, values[1]);
    for (int c = 0; c < in_.channels; ++c) {
      values[0][c] += (values[1][c] - values[0][c]) * pz.fraction;
    }
    store(values[0], out);
  }

 private:
  void bilinear(const Position& x, const Position& y, int64_t z, float* out) const {
    const T* a = in_.pixel(z, y.at, x.at, has_fill_);
    const T* b = in_.pixel(z, y.at, x.at + 1, has_fill_);
    const T* c = in_.pixel(z, y.at + 1, x.at, has_fill_);
    const T* d = in_.pixel(z, y.at + 1, x.at + 1, has_fill_);
    for (int i = 0; i < in_.channels; ++i) {
      const float upper_left = value(a, i);
      const float upper = upper_left + (value(b, i) - upper_left) * x.fraction;
      const float lower_left = value(c, i);
      const float lower = lower_left + (value(d, i) - lower_left) * x.fraction;
      out[i] = upper + (lower - upper) * y.fraction;
    }
  }

  float value(const T* pixel, int channel) const {
    return pixel != nullptr ? static_cast<float>(pixel[channel]) : fill_;
  }

  template <class Out>
  void store(const float* values, Out* out) const {
    for (int c = 0; c < in_.channels; ++c) {
      out[c] = convert_saturated<Out>(values[c]);
    }
  }

  Volume<T> in_;
  bool is_volume_;
  bool has_fill_;
  float fill_;
};

template <class In, class Out>
void warp_as(const TensorView& in, const WarpOptions& options, const MutableTensorView& out) {
  const bool is_volume = options.map.dimensions == 3;
  const auto extent = [&](const tensor::Shape& shape, int from_end) {
    return shape[shape.rank() - from_end];
  };
  const int channels = static_cast<int>(in.shape().back());
  const Volume<In> volume{static_cast<const In*>(in.data), is_volume ? in.shape()[0] : 1,
                          extent(in.shape(), 3), extent(in.shape(), 2), channels};
  const Sampler<In> sampler(volume, is_volume, options.fill);
  const auto& m = options.map.matrix;
  const int last = options.map.dimensions;  // the column of the translation
  Out* target = static_cast<Out*>(out.data);
  const int64_t depth = is_volume ? out.shape()[0] : 1;
  for (int64_t z = 0; z < depth; ++z) {
    for (int64_t y = 0; y < extent(out.shape(), 3); ++y) {
      const float fy = static_cast<float>(y) + 0.5f;
      const float fz = is_volume ? static_cast<float>(z) + 0.5f : 0;
      std::array<float, 3> at{};
      for (int i = 0; i < last; ++i) {
        at[i] = m[i][0] * 0.5f + m[i][1] * fy + (is_volume ? m[i][2] * fz : 0) + m[i][last];
      }
      for (int64_t x = 0; x < extent(out.shape(), 2); ++x) {
        if (options.filter == WarpFilter::kNearest) {
          sampler.nearest(at[0], at[1], at[2], target);
        } else {
          sampler.linear(at[0], at[1], at[2], target);
        }
        target += channels;
        for (int i = 0; i < last; ++i) {  // by addition, as DALI does: the same rounding
          at[i] += m[i][0];
        }
      }
    }
  }
}

template <class In>
void warp_from(const TensorView& in, const WarpOptions& options, const MutableTensorView& out) {
  if (out.dtype() == DType::kFloat) {
    warp_as<In, float>(in, options, out);
  } else {
    warp_as<In, In>(in, options, out);
  }
}

// Rodrigues' formula, for columns (x, y, z). In float as DALI's: a nearest neighbour at a border depends on
// it.
using Turn = std::array<std::array<float, 3>, 3>;

Turn rotation_about(std::span<const float> axis, float angle) {
  const float length = std::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  const std::array<float, 3> u{axis[0] / length, axis[1] / length, axis[2] / length};
  const float c = std::cos(angle);
  const float s = std::sin(angle);
  Turn matrix{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      matrix[i][j] = u[i] * u[j] * (1 - c) + (i == j ? c : 0);
    }
    const int next = (i + 1) % 3;
    const int after = (i + 2) % 3;
    matrix[i][next] -= u[after] * s;
    matrix[i][after] += u[next] * s;
  }
  return matrix;
}

double radians(float degrees) {
  return static_cast<double>(degrees) * std::numbers::pi / 180;
}

}  // namespace

Status warp(const TensorView& in, const WarpOptions& options, const MutableTensorView& out) {
  const int dimensions = options.map.dimensions;
  if ((dimensions != 2 && dimensions != 3) || in.shape().rank() != dimensions + 1 ||
      out.shape().rank() != dimensions + 1 || in.shape().back() != out.shape().back()) {
    return invalid_argument("warp in {} dimensions: {} to {}", dimensions, in.shape().to_string(),
                            out.shape().to_string());
  }
  if (in.volume() == 0 || in.shape().back() > kMaxWarpChannels) {
    return invalid_argument("warp: an input of {}", in.shape().to_string());
  }
  if (out.dtype() != in.dtype() && out.dtype() != DType::kFloat) {
    return invalid_argument("warp gives the type of its input or float, not {}",
                            tensor::name_of(out.dtype()));
  }
  switch (in.dtype()) {
    case DType::kUint8:
      warp_from<uint8_t>(in, options, out);
      return ok_status();
    case DType::kInt16:
      warp_from<int16_t>(in, options, out);
      return ok_status();
    case DType::kUint16:
      warp_from<uint16_t>(in, options, out);
      return ok_status();
    case DType::kInt32:
      warp_from<int32_t>(in, options, out);
      return ok_status();
    case DType::kFloat:
      warp_from<float>(in, options, out);
      return ok_status();
    default:
      return invalid_argument("warp takes uint8, int16, uint16, int32 and float, not {}",
                              tensor::name_of(in.dtype()));
  }
}

// By cofactors and in float, as DALI's.
Result<AffineMap> inverted(const AffineMap& map) {
  const int n = map.dimensions;
  const auto& m = map.matrix;
  // In the plane the third axis stands still.
  const auto at = [&](int row, int column) {
    row %= 3;
    column %= 3;
    return row < n && column < n ? m[row][column] : (row == column ? 1.0f : 0.0f);
  };
  const auto cofactor = [&](int i, int j) {
    return at(i + 1, j + 1) * at(i + 2, j + 2) - at(i + 1, j + 2) * at(i + 2, j + 1);
  };
  float determinant = 0;
  for (int j = 0; j < 3; ++j) {
    determinant += at(0, j) * cofactor(0, j);
  }
  const float reciprocal = 1 / determinant;
  if (!std::isfinite(reciprocal)) {
    return invalid_argument("the affine map cannot be inverted");
  }
  AffineMap inverse{.dimensions = n, .matrix = {}};
  for (int i = 0; i < n; ++i) {
    float translation = 0;
    for (int j = 0; j < n; ++j) {
      inverse.matrix[i][j] = cofactor(j, i) * reciprocal;
      translation += inverse.matrix[i][j] * m[j][n];
    }
    inverse.matrix[i][n] = -translation;
  }
  return inverse;
}

std::array<int64_t, 3> rotated_canvas(std::span<const int64_t> size, float angle_degrees,
                                      std::span<const float> axis) {
  const int n = static_cast<int>(size.size());
  const float angle = radians(angle_degrees);
  // How much of each input extent an output extent takes; in double, so that there is no tie at 45 degrees.
  std::array<std::array<double, 3>, 3> shares{};
  if (n == 2) {
    const double cosine = std::abs(std::cos(static_cast<double>(angle)));
    const double sine = std::abs(std::sin(static_cast<double>(angle)));
    shares[0] = {cosine, sine, 0};
    shares[1] = {sine, cosine, 0};
  } else {
    const Turn turn = rotation_about(axis, angle);
    for (int i = 0; i < 3; ++i) {
      std::ranges::transform(turn[i], shares[i].begin(), [](float share) { return std::abs(share); });
    }
  }
  std::array<int64_t, 3> canvas{};
  for (int i = 0; i < n; ++i) {  // i counts x, y, z; size and canvas the other way
    double extent = 0;
    int dominant = i;
    for (int j = 0; j < n; ++j) {
      extent += shares[i][j] * static_cast<double>(size[n - 1 - j]);
      dominant = shares[i][j] > shares[i][dominant] ? j : dominant;
    }
    auto rounded = static_cast<int64_t>(std::ceil(extent - 0.01));
    rounded +=
        (rounded % 2) ^ (size[n - 1 - dominant] % 2);  // the parity of where it mostly comes from: less blur
    canvas[n - 1 - i] = rounded;
  }
  return canvas;
}

Result<AffineMap> rotation_map(std::span<const int64_t> in_size, std::span<const int64_t> out_size,
                               float angle_degrees, std::span<const float> axis) {
  const int n = static_cast<int>(in_size.size());
  if ((n != 2 && n != 3) || out_size.size() != in_size.size() || (n == 3 && axis.size() != 3)) {
    return invalid_argument("a rotation has 2 extents, or 3 and an axis of 3; not {}, {} and {}",
                            in_size.size(), out_size.size(), axis.size());
  }
  if (n == 3 && axis[0] == 0 && axis[1] == 0 && axis[2] == 0) {
    return invalid_argument("a rotation's axis must not be 0");
  }
  const float angle = radians(angle_degrees);
  Turn turn{};
  if (n == 2) {
    turn[0] = {std::cos(angle), -std::sin(angle), 0};
    turn[1] = {std::sin(angle), std::cos(angle), 0};
  } else {
    turn = rotation_about(axis, -angle);
  }
  AffineMap map{.dimensions = n, .matrix = {}};
  for (int i = 0; i < n; ++i) {
    float translation = 0;
    for (int j = 0; j < n; ++j) {
      map.matrix[i][j] = turn[i][j];
      translation += turn[i][j] * (-0.5f * static_cast<float>(out_size[n - 1 - j]));
    }
    map.matrix[i][n] = translation + 0.5f * static_cast<float>(in_size[n - 1 - i]);
  }
  return map;
}

}  // namespace forebay::kernels
