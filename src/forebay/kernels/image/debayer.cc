#include "forebay/kernels/image/debayer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <type_traits>

#include "forebay/base/caught.h"
#include "forebay/kernels/filters/filter_lines.h"
#include "forebay/kernels/generic/convert.h"
#include "forebay/memory/scratch.h"

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::MutableTensorView;
using tensor::TensorView;

/// The values around a pixel.
template <class T>
struct Neighbours {
  const T* at;
  int64_t row;

  int operator()(int64_t dy, int64_t dx) const { return at[dy * row + dx]; }
  int across() const { return (*this)(0, -1) + (*this)(0, 1); }
  int along() const { return (*this)(-1, 0) + (*this)(1, 0); }
  int corners() const { return (*this)(-1, -1) + (*this)(-1, 1) + (*this)(1, -1) + (*this)(1, 1); }
};

/// The two colours that a pixel did not measure; for green those of its row and of its column.
struct Missing {
  int first = 0;   // green; at green pixels the colour that lies in the same row
  int second = 0;  // the opposite colour; at green pixels the colour of the column
};

struct Bilinear {
  template <class T>
  static Missing at_green(const Neighbours<T>& p) {
    return {(p.across() + 1) >> 1, (p.along() + 1) >> 1};
  }
  template <class T>
  static Missing at_color(const Neighbours<T>& p) {
    return {(p.across() + p.along() + 2) >> 2, (p.corners() + 2) >> 2};
  }
};

struct EdgeAware {
  template <class T>
  static Missing at_green(const Neighbours<T>& p) {
    return {(p.across() + 1) / 2, (p.along() + 1) / 2};
  }
  template <class T>
  static Missing at_color(const Neighbours<T>& p) {
    const bool is_flat_along = std::abs(p(0, -1) - p(0, 1)) > std::abs(p(1, 0) - p(-1, 0));
    return {((is_flat_along ? p.along() : p.across()) + 1) / 2, (p.corners() + 2) / 4};
  }
};

/// Gradients around a pixel, from the eight next to it.
template <class T>
struct LocalGradients {
  int vertical, horizontal, rising, falling;
  int rising_wide, falling_wide;  // with the pixels beside the diagonal
  int cross;                      // half of the sum of the four neighbours

  explicit LocalGradients(const Neighbours<T>& p) {
    const auto apart = [&](int ay, int ax, int by, int bx) { return std::abs(p(ay, ax) - p(by, bx)); };
    vertical = apart(-1, -1, 1, -1) + 2 * apart(-1, 0, 1, 0) + apart(-1, 1, 1, 1);
    horizontal = apart(-1, -1, -1, 1) + 2 * apart(0, -1, 0, 1) + apart(1, -1, 1, 1);
    rising = 2 * apart(-1, 1, 1, -1);
    falling = 2 * apart(-1, -1, 1, 1);
    rising_wide = rising + apart(-1, 0, 0, -1) + apart(1, 0, 0, 1);
    falling_wide = falling + apart(-1, 0, 0, 1) + apart(1, 0, 0, -1);
    cross = (p.across() + p.along()) >> 1;
  }
};

struct Gradients {
  // The directions: N S W E NE SW NW SE.
  static constexpr int kDirections[8][2] = {{-1, 0}, {1, 0},  {0, -1},  {0, 1},
                                            {-1, 1}, {1, -1}, {-1, -1}, {1, 1}};

  template <class T>
  static LocalGradients<T> local(const Neighbours<T>& p, int64_t dy, int64_t dx) {
    return LocalGradients<T>({p.at + dy * p.row + dx, p.row});
  }

  template <class T>
  static std::array<int, 8> gradients(const Neighbours<T>& p, bool is_green) {
    const LocalGradients<T> here(p);
    const LocalGradients<T> north = local(p, -1, 0);
    const LocalGradients<T> south = local(p, 1, 0);
    const LocalGradients<T> west = local(p, 0, -1);
    const LocalGradients<T> east = local(p, 0, 1);
    const LocalGradients<T> northeast = local(p, -1, 1);
    const LocalGradients<T> southwest = local(p, 1, -1);
    const LocalGradients<T> northwest = local(p, -1, -1);
    const LocalGradients<T> southeast = local(p, 1, 1);
    std::array<int, 8> all{north.vertical + here.vertical, south.vertical + here.vertical,
                           west.horizontal + here.horizontal, east.horizontal + here.horizontal};
    if (is_green) {
      all[4] = north.rising + northeast.rising + here.rising + east.rising;
      all[5] = here.rising + west.rising + south.rising + southwest.rising;
      all[6] = north.falling + northwest.falling + here.falling + west.falling;
      all[7] = here.falling + east.falling + south.falling + southeast.falling;
    } else {
      all[4] = northeast.rising_wide + here.rising_wide;
      all[5] = here.rising_wide + southwest.rising_wide;
      all[6] = northwest.falling_wide + here.falling_wide;
      all[7] = here.falling_wide + southeast.falling_wide;
    }
    return all;
  }

  /// Sums of twice the own colour, and of those that are missing, over the directions that change little.
  struct Sums {
    int own = 0;
    Missing missing;
    int count = 0;
  };

  template <class T>
  static void add_at_color(const Neighbours<T>& p, int direction, Sums& sums) {
    const auto [dy, dx] = kDirections[direction];
    sums.own += p(2 * dy, 2 * dx) + p(0, 0);
    if (direction < 4) {
      sums.missing.first += 2 * p(dy, dx);
      sums.missing.second += p(dy + dx, dx + dy) + p(dy - dx, dx - dy);
    } else {
      sums.missing.first += local(p, dy, dx).cross;
      sums.missing.second += 2 * p(dy, dx);
    }
  }

  template <class T>
  static void add_at_green(const Neighbours<T>& p, int direction, Sums& sums) {
    const auto [dy, dx] = kDirections[direction];
    if (direction < 2) {
      sums.own += p(2 * dy, 0) + p(0, 0);
      sums.missing.first += p(2 * dy, -1) + p(2 * dy, 1);
      sums.missing.second += 2 * p(dy, 0);
    } else if (direction < 4) {
      sums.own += p(0, 2 * dx) + p(0, 0);
      sums.missing.first += 2 * p(0, dx);
      sums.missing.second += p(-1, 2 * dx) + p(1, 2 * dx);
    } else {
      sums.own += 2 * p(dy, dx);
      sums.missing.first += p(2 * dy, dx) + p(0, dx);
      sums.missing.second += p(dy, 0) + p(dy, 2 * dx);
    }
  }

  template <class T>
  static Missing missing(const Neighbours<T>& p, bool is_green) {
    const std::array<int, 8> all = gradients(p, is_green);
    const int most = *std::ranges::max_element(all);
    const int threshold = *std::ranges::min_element(all) + std::max(most / 2, 1);
    Sums sums;
    for (int direction = 0; direction < 8; ++direction) {
      if (all[static_cast<size_t>(direction)] < threshold) {
        is_green ? add_at_green(p, direction, sums) : add_at_color(p, direction, sums);
        ++sums.count;
      }
    }
    // Of the direction that changes least at least, which lies below the threshold.
    const float scale = 0.5f / static_cast<float>(sums.count);
    const auto of = [&](int sum) {
      return p(0, 0) + static_cast<int>(std::nearbyint(static_cast<float>(sum - sums.own) * scale));
    };
    return {of(sums.missing.first), of(sums.missing.second)};
  }

  template <class T>
  static Missing at_green(const Neighbours<T>& p) {
    return missing(p, true);
  }
  template <class T>
  static Missing at_color(const Neighbours<T>& p) {
    return missing(p, false);
  }
};

/// Where blue is, and the size.
struct Mosaic {
  int64_t height, width;
  int blue_y, blue_x;
};

/// The border repeats the pixels next to it.
template <class T>
void copy_border(const Mosaic& mosaic, int64_t channels, T* out) {
  const int64_t row = mosaic.width * channels;
  for (int64_t y = 1; y < mosaic.height - 1; ++y) {
    T* line = out + y * row;
    std::copy_n(line + channels, channels, line);                             // copy: a pixel
    std::copy_n(line + row - 2 * channels, channels, line + row - channels);  // copy: a pixel
  }
  std::copy_n(out + row, row, out);  // copy: a row
  T* last = out + (mosaic.height - 1) * row;
  std::copy_n(last - row, row, last);  // copy: a row
}

/// The colours of the pixel that is (y, x) in the mosaic.
template <class Method, class T>
void debayer_pixel(const Neighbours<T>& p, const Mosaic& mosaic, int64_t y, int64_t x, T* pixel) {
  const bool is_blue_row = y % 2 == mosaic.blue_y;
  const bool is_green = is_blue_row != (x % 2 == mosaic.blue_x);
  const Missing found = is_green ? Method::at_green(p) : Method::at_color(p);
  const int of_row = is_green ? found.first : p.at[0];
  const int green = is_green ? p.at[0] : found.first;
  pixel[is_blue_row ? 2 : 0] = convert_saturated<T>(of_row);
  pixel[1] = convert_saturated<T>(green);
  pixel[is_blue_row ? 0 : 2] = convert_saturated<T>(found.second);
}

template <class Method, class T>
void debayer_by(const T* in, const Mosaic& mosaic, T* out) {
  for (int64_t y = 1; y < mosaic.height - 1; ++y) {
    for (int64_t x = 1; x < mosaic.width - 1; ++x) {
      const int64_t at = y * mosaic.width + x;
      debayer_pixel<Method, T>({in + at, mosaic.width}, mosaic, y, x, out + 3 * at);
    }
  }
  copy_border(mosaic, 3, out);
}

/// Looks two pixels far, so the mosaic is reflected at its ends.
void debayer_by_gradients(const uint8_t* in, const Mosaic& mosaic, uint8_t* out) {
  constexpr int64_t kReach = 2;
  const int64_t row = mosaic.width + 2 * kReach;
  memory::ScratchArray<uint8_t> wide(static_cast<size_t>(row * (mosaic.height + 2 * kReach)));
  for (int64_t y = 0; y < mosaic.height + 2 * kReach; ++y) {
    const int64_t from = border_place(Border::kReflect101, y - kReach, mosaic.height);
    extend_line<uint8_t, uint8_t>(in + from * mosaic.width, mosaic.width, 1, kReach, kReach,
                                  Border::kReflect101, 0, wide.data() + y * row);
  }
  for (int64_t y = 0; y < mosaic.height; ++y) {
    for (int64_t x = 0; x < mosaic.width; ++x) {
      const uint8_t* at = wide.data() + (y + kReach) * row + x + kReach;
      debayer_pixel<Gradients, uint8_t>({at, row}, mosaic, y, x, out + 3 * (y * mosaic.width + x));
    }
  }
}

template <class T>
void debayer_to_gray(const T* in, const Mosaic& mosaic, T* out) {
  constexpr int64_t kRed = 4899;  // of 2^14
  constexpr int64_t kGreen = 9617;
  constexpr int64_t kBlue = 1868;
  for (int64_t y = 1; y < mosaic.height - 1; ++y) {
    const bool is_blue_row = y % 2 == mosaic.blue_y;
    const int64_t of_row = is_blue_row ? kBlue : kRed;
    const int64_t of_other = is_blue_row ? kRed : kBlue;
    for (int64_t x = 1; x < mosaic.width - 1; ++x) {
      const Neighbours<T> p{in + y * mosaic.width + x, mosaic.width};
      const int64_t own = 4 * int64_t{p.at[0]};
      const bool is_green = is_blue_row != (x % 2 == mosaic.blue_x);
      const int64_t sum = is_green
                              ? own * kGreen + 2 * p.across() * of_row + 2 * p.along() * of_other
                              : own * of_row + (p.across() + p.along()) * kGreen + p.corners() * of_other;
      out[y * mosaic.width + x] = static_cast<T>((sum + (1 << 15)) >> 16);
    }
  }
  copy_border(mosaic, 1, out);
}

template <class T>
void debayer_as(const T* in, const Mosaic& mosaic, DebayerMethod method, T* out) {
  constexpr int64_t kLeastForGradients = 8;
  if (method == DebayerMethod::kGray) {
    debayer_to_gray(in, mosaic, out);
    return;
  }
  if (method == DebayerMethod::kEdgeAware) {
    debayer_by<EdgeAware>(in, mosaic, out);
    return;
  }
  if constexpr (std::is_same_v<T, uint8_t>) {
    if (method == DebayerMethod::kGradients && std::min(mosaic.height, mosaic.width) >= kLeastForGradients) {
      debayer_by_gradients(in, mosaic, out);
      return;
    }
  }
  debayer_by<Bilinear>(in, mosaic, out);
}

}  // namespace

Status debayer(const TensorView& in, DebayerMethod method, int blue_y, int blue_x,
               const MutableTensorView& out) {
  const bool is_gray = method == DebayerMethod::kGray;
  const bool fits = in.shape().rank() == 2 && out.shape().rank() == 3 && in.dtype() == out.dtype() &&
                    in.shape()[0] == out.shape()[0] && in.shape()[1] == out.shape()[1] &&
                    out.shape()[2] == (is_gray ? 1 : 3);
  const bool is_byte = in.dtype() == DType::kUint8;
  if (!fits || (!is_byte && (in.dtype() != DType::kUint16 || method == DebayerMethod::kGradients))) {
    return invalid_argument("a mosaic of {} cannot become {}", in.spec.to_string(), out.spec.to_string());
  }
  if (blue_y < 0 || blue_y > 1 || blue_x < 0 || blue_x > 1) {
    return invalid_argument("blue lies at ({}, {}) of a tile of two by two", blue_y, blue_x);
  }
  const Mosaic mosaic{in.shape()[0], in.shape()[1], blue_y, blue_x};
  if (std::min(mosaic.height, mosaic.width) <= 2) {
    std::fill_n(static_cast<std::byte*>(out.data), out.spec.size_bytes(), std::byte{0});
    return ok_status();
  }
  return caught([&] {
    if (is_byte) {
      debayer_as(in.as<uint8_t>(), mosaic, method, out.as<uint8_t>());
    } else {
      debayer_as(in.as<uint16_t>(), mosaic, method, out.as<uint16_t>());
    }
    return ok_status();
  });
}

}  // namespace forebay::kernels
