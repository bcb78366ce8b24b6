#include "forebay/kernels/nn/pooling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "forebay/kernels/nn/places.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/nn/pooling.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Adjacent windows of 2 x 2, the usual case. Planes are small: vectors of four.
using Four = hn::CappedTag<float, 4>;

/// Reduces two rows of 2 * width values to one of `width`.
HWY_INLINE void greatest_of_rows(const float* top, const float* bottom, int64_t width, float* out) {
  const Four d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t x = 0;
  for (; x + lanes <= width; x += lanes) {
    hn::Vec<Four> a, b, c, e;
    hn::LoadInterleaved2(d, top + 2 * x, a, b);
    hn::LoadInterleaved2(d, bottom + 2 * x, c, e);
    hn::StoreU(hn::Max(hn::Max(a, b), hn::Max(c, e)), d, out + x);
  }
  for (; x < width; ++x) {
    out[x] = std::max(std::max(top[2 * x], top[2 * x + 1]), std::max(bottom[2 * x], bottom[2 * x + 1]));
  }
}

void max_2x2(const float* in, int64_t planes, int64_t in_height, int64_t in_width, int64_t height,
             int64_t width, float* out) {
  for (int64_t plane = 0; plane < planes; ++plane) {
    for (int64_t y = 0; y < height; ++y) {
      const float* const top = in + (plane * in_height + 2 * y) * in_width;
      greatest_of_rows(top, top + in_width, width, out + (plane * height + y) * width);
    }
  }
}

HWY_INLINE void gradient_of_rows(const float* top, const float* bottom, const float* out,
                                 const float* gradient, int64_t width, float* to_top, float* to_bottom) {
  const Four d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t x = 0;
  for (; x + lanes <= width; x += lanes) {
    hn::Vec<Four> a, b, c, e;
    hn::LoadInterleaved2(d, top + 2 * x, a, b);
    hn::LoadInterleaved2(d, bottom + 2 * x, c, e);
    const auto greatest = hn::LoadU(d, out + x);
    auto left = hn::LoadU(d, gradient + x);  // until one place has received it
    const auto take = [&](hn::Vec<Four> value) HWY_ATTR {
      const auto is_it = hn::Eq(value, greatest);
      const auto taken = hn::IfThenElseZero(is_it, left);
      left = hn::IfThenZeroElse(is_it, left);
      return taken;
    };
    const auto to_a = take(a);
    const auto to_b = take(b);
    const auto to_c = take(c);
    hn::StoreInterleaved2(to_a, to_b, d, to_top + 2 * x);
    hn::StoreInterleaved2(to_c, take(e), d, to_bottom + 2 * x);
  }
  for (; x < width; ++x) {
    const float* const from[] = {top + 2 * x, top + 2 * x + 1, bottom + 2 * x, bottom + 2 * x + 1};
    float* const to[] = {to_top + 2 * x, to_top + 2 * x + 1, to_bottom + 2 * x, to_bottom + 2 * x + 1};
    float left = gradient[x];
    for (int i = 0; i < 4; ++i) {
      const bool is_it = *from[i] == out[x];
      *to[i] = is_it ? left : 0;
      left = is_it ? 0 : left;
    }
  }
}

void max_2x2_gradient(const float* in, const float* out, const float* gradient, int64_t planes,
                      int64_t in_height, int64_t in_width, int64_t height, int64_t width, float* to) {
  if (in_height != 2 * height || in_width != 2 * width) {
    std::fill_n(to, planes * in_height * in_width, 0.0F);
  }
  for (int64_t plane = 0; plane < planes; ++plane) {
    for (int64_t y = 0; y < height; ++y) {
      const int64_t top = (plane * in_height + 2 * y) * in_width;
      const int64_t at = (plane * height + y) * width;
      gradient_of_rows(in + top, in + top + in_width, out + at, gradient + at, width, to + top,
                       to + top + in_width);
    }
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {
namespace {

HWY_EXPORT(max_2x2);
HWY_EXPORT(max_2x2_gradient);

/// The places [first, last) of a window in each dimension, and the divisor of an average.
struct Window {
  Extents first;
  Extents last;
  int64_t count;
};

Window window_at(const PoolingShape& shape, const Extents& at) {
  Window window{.count = 1};
  for (size_t i = 0; i < 3; ++i) {
    const int64_t first = at[i] * shape.stride[i] - shape.pad[i];
    const int64_t padded_last = std::min(first + shape.kernel[i], shape.in[i] + shape.pad[i]);
    window.first[i] = std::max<int64_t>(first, 0);
    window.last[i] = std::min(padded_last, shape.in[i]);
    window.count *= shape.counts_padding ? padded_last - first : window.last[i] - window.first[i];
  }
  return window;
}

/// Calls body(place) for the places of the window, in memory order.
template <class Body>
void for_each_in(const Window& window, const Extents& in, Body&& body) {
  for (int64_t z = window.first[0]; z < window.last[0]; ++z) {
    for (int64_t y = window.first[1]; y < window.last[1]; ++y) {
      for (int64_t x = window.first[2]; x < window.last[2]; ++x) {
        body((z * in[1] + y) * in[2] + x);
      }
    }
  }
}

template <class Body>
void for_each_window(const PoolingShape& shape, Body&& body) {
  int64_t place = 0;
  for (int64_t z = 0; z < shape.out[0]; ++z) {
    for (int64_t y = 0; y < shape.out[1]; ++y) {
      for (int64_t x = 0; x < shape.out[2]; ++x) {
        body(window_at(shape, {z, y, x}), place++);
      }
    }
  }
}

template <class T>
T pooled(const PoolingShape& shape, const Window& window, const T* in) {
  if (shape.kind == PoolingKind::kMax) {
    T greatest = -std::numeric_limits<T>::infinity();
    for_each_in(window, shape.in, [&](int64_t at) { greatest = greatest < in[at] ? in[at] : greatest; });
    return greatest;
  }
  double sum = 0;
  if (shape.kind == PoolingKind::kNorm) {
    for_each_in(window, shape.in, [&](int64_t at) { sum += std::pow(std::abs(in[at]), shape.power); });
    return static_cast<T>(std::pow(sum, 1 / shape.power));
  }
  for_each_in(window, shape.in, [&](int64_t at) { sum += in[at]; });
  return static_cast<T>(shape.kind == PoolingKind::kSum ? sum : sum / static_cast<double>(window.count));
}

template <class T>
void spread(const PoolingShape& shape, const Window& window, const T* in, T out, T gradient, T* to) {
  switch (shape.kind) {
    case PoolingKind::kMax: {
      int64_t found = -1;
      for_each_in(window, shape.in, [&](int64_t at) { found = found < 0 && in[at] == out ? at : found; });
      if (found >= 0) {
        to[found] += gradient;
      }
      return;
    }
    case PoolingKind::kAverage:
      gradient /= static_cast<T>(window.count);
      [[fallthrough]];
    case PoolingKind::kSum:
      for_each_in(window, shape.in, [&](int64_t at) { to[at] += gradient; });
      return;
    case PoolingKind::kNorm:
      for_each_in(window, shape.in, [&](int64_t at) {
        if (out != 0) {
          const double slope = std::pow(std::abs(in[at]) / out, shape.power - 1);
          to[at] += gradient * std::copysign(static_cast<T>(slope), in[at]);
        }
      });
  }
}

bool is_plain_2x2(const PoolingShape& shape) {
  return shape.kind == PoolingKind::kMax && shape.in[0] == 1 && shape.kernel == Extents{1, 2, 2} &&
         shape.stride[1] == 2 && shape.stride[2] == 2 && shape.pad == Extents{0, 0, 0} &&
         2 * shape.out[1] <= shape.in[1] && 2 * shape.out[2] <= shape.in[2];
}

}  // namespace

Status infer_out(PoolingShape* shape, bool full) {
  for (size_t i = 0; i < 3; ++i) {
    const bool is_sane = shape->kernel[i] >= 1 && shape->stride[i] >= 1 && shape->pad[i] >= 0;
    if (!is_sane || shape->pad[i] >= shape->kernel[i]) {
      return invalid_argument("windows and strides must be at least 1, padding less than the window");
    }
    const int64_t room = shape->in[i] + 2 * shape->pad[i] - shape->kernel[i];
    if (room < 0) {
      return invalid_argument("a window of {} does not fit into {} (with padding)", shape->kernel[i],
                              shape->in[i] + 2 * shape->pad[i]);
    }
    shape->out[i] = (room + (full ? shape->stride[i] - 1 : 0)) / shape->stride[i] + 1;
  }
  return ok_status();
}

template <class T>
void pool(const PoolingShape& shape, int64_t planes, const T* in, T* out) {
  if constexpr (std::is_same_v<T, float>) {
    if (is_plain_2x2(shape)) {
      HWY_DYNAMIC_DISPATCH(max_2x2)
      (in, planes, shape.in[1], shape.in[2], shape.out[1], shape.out[2], out);
      return;
    }
  }
  for (int64_t plane = 0; plane < planes; ++plane) {
    for_each_window(shape, [&](const Window& window, int64_t at) { out[at] = pooled(shape, window, in); });
    in += volume(shape.in);
    out += volume(shape.out);
  }
}

template <class T>
void pool_gradient(const PoolingShape& shape, int64_t planes, const T* in, const T* out,
                   const T* out_gradient, T* in_gradient) {
  if constexpr (std::is_same_v<T, float>) {
    if (is_plain_2x2(shape)) {
      HWY_DYNAMIC_DISPATCH(max_2x2_gradient)
      (in, out, out_gradient, planes, shape.in[1], shape.in[2], shape.out[1], shape.out[2], in_gradient);
      return;
    }
  }
  std::fill_n(in_gradient, planes * volume(shape.in), T{0});
  for (int64_t plane = 0; plane < planes; ++plane) {
    for_each_window(shape, [&](const Window& window, int64_t at) {
      spread(shape, window, in, out[at], out_gradient[at], in_gradient);
    });
    in += volume(shape.in);
    in_gradient += volume(shape.in);
    out += volume(shape.out);
    out_gradient += volume(shape.out);
  }
}

#define FOREBAY_INSTANTIATE(T)                                    \
  template void pool(const PoolingShape&, int64_t, const T*, T*); \
  template void pool_gradient(const PoolingShape&, int64_t, const T*, const T*, const T*, T*)
FOREBAY_INSTANTIATE(float);
FOREBAY_INSTANTIATE(double);
#undef FOREBAY_INSTANTIATE

}  // namespace forebay::kernels
#endif  // HWY_ONCE
