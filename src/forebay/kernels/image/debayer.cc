#include "forebay/kernels/image/debayer.h"

#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include "forebay/base/caught.h"
#include "forebay/kernels/filters/filter_lines.h"
#include "forebay/kernels/generic/convert.h"
#include "forebay/kernels/image/debayer_rows.h"
#include "forebay/memory/host/scratch.h"

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

/// Where blue is, and the size.
struct Mosaic {
  int64_t height, width;
  int blue_y, blue_x;
};

/// Row `y` of a mosaic of bytes, which begins at `in`.
MosaicRow mosaic_row(const Mosaic& mosaic, int64_t y, const uint8_t* in, int64_t pitch, uint8_t* out) {
  const bool is_blue = y % 2 == mosaic.blue_y;
  const int green_phase = is_blue ? 1 - mosaic.blue_x : mosaic.blue_x;
  return {in, pitch, 1, mosaic.width - 1, is_blue, green_phase, out};
}

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

/// Where row(...), which has the bytes of a row in SIMD, leaves off; other types begin with their first
/// pixel.
template <class T>
int64_t first_left(const Mosaic& mosaic, int64_t y, const T* in, int64_t channels,
                   int64_t (*row)(const MosaicRow&), T* out) {
  if constexpr (std::is_same_v<T, uint8_t>) {
    const int64_t at = y * mosaic.width;
    return row(mosaic_row(mosaic, y, in + at, mosaic.width, out + channels * at));
  } else {
    return 1;
  }
}

template <class Method, class T>
void debayer_by(const T* in, const Mosaic& mosaic, int64_t (*row)(const MosaicRow&), T* out) {
  for (int64_t y = 1; y < mosaic.height - 1; ++y) {
    for (int64_t x = first_left(mosaic, y, in, 3, row, out); x < mosaic.width - 1; ++x) {
      const int64_t at = y * mosaic.width + x;
      debayer_pixel<Method, T>({in + at, mosaic.width}, mosaic, y, x, out + 3 * at);
    }
  }
  copy_border(mosaic, 3, out);
}

/// Looks two pixels far, so the mosaic is reflected at its ends.
void debayer_by_gradients(const uint8_t* in, const Mosaic& mosaic, uint8_t* out) {
  constexpr int64_t kReach = 2;
  const int64_t pitch = mosaic.width + 2 * kReach;
  const int64_t wide_size = pitch * (mosaic.height + 2 * kReach) + MosaicGradients::kSpare;
  memory::ScratchArray<uint8_t> wide(static_cast<size_t>(wide_size));
  for (int64_t y = 0; y < mosaic.height + 2 * kReach; ++y) {
    const int64_t from = border_place(Border::kReflect101, y - kReach, mosaic.height);
    extend_line<uint8_t, uint8_t>(in + from * mosaic.width, mosaic.width, 1, kReach, kReach,
                                  Border::kReflect101, 0, wide.data() + y * pitch);
  }
  memory::ScratchArray<int16_t> memory(static_cast<size_t>(MosaicGradients::size(mosaic.width)));
  memory::ScratchArray<uint8_t> last(static_cast<size_t>(3 * (mosaic.width + MosaicGradients::kSpare)));
  const MosaicGradients gradients(mosaic.width, memory.data());
  const auto line = [&](int64_t y) { return wide.data() + (y + kReach) * pitch + kReach; };
  find_mosaic_gradients(line(-1), pitch, -1, mosaic.width, gradients);
  find_mosaic_gradients(line(0), pitch, 0, mosaic.width, gradients);
  for (int64_t y = 0; y < mosaic.height; ++y) {
    find_mosaic_gradients(line(y + 1), pitch, y + 1, mosaic.width, gradients);
    uint8_t* const to = out + 3 * y * mosaic.width;
    const bool has_room = (mosaic.height - 1 - y) * mosaic.width >= MosaicGradients::kSpare;
    MosaicRow row = mosaic_row(mosaic, y, line(y), pitch, has_room ? to : last.data());
    row.begin = 0;
    row.end = mosaic.width;
    debayer_gradient_row(row, y, gradients);
    if (!has_room) {
      std::copy_n(last.data(), 3 * mosaic.width, to);  // copy: a row
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
    for (int64_t x = first_left(mosaic, y, in, 1, debayer_gray_row, out); x < mosaic.width - 1; ++x) {
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
    debayer_by<EdgeAware>(in, mosaic, debayer_edge_aware_row, out);
    return;
  }
  if constexpr (std::is_same_v<T, uint8_t>) {
    if (method == DebayerMethod::kGradients && std::min(mosaic.height, mosaic.width) >= kLeastForGradients) {
      debayer_by_gradients(in, mosaic, out);
      return;
    }
  }
  debayer_by<Bilinear>(in, mosaic, debayer_bilinear_row, out);
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
