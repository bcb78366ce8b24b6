#include "forebay/kernels/filters/convolve.h"

#include <algorithm>
#include <vector>

#include "forebay/base/caught.h"
#include "forebay/kernels/filters/filter_lines.h"
#include "forebay/kernels/resampling/resample_passes.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

using memory::ScratchArray;
using memory::ScratchVector;
using tensor::DType;
using tensor::MutableTensorView;
using tensor::TensorView;

int64_t radius_of(std::span<const float> window) {
  return static_cast<int64_t>(window.size()) / 2;
}

void blend_window(const float* const* rows, std::span<const float> window, int64_t size, float* out) {
  blend_rows<float, float>(rows, window.data(), static_cast<int>(window.size()), size, out);
}

/// Convolves along an axis of `count` lines of `size` elements. `make(index, to)` makes line `index` of the
/// input, once and in order; `take(index, line)` gets those of the output.
template <class Make, class Take>
void convolve_lines(int64_t count, int64_t size, std::span<const float> window, Make make, Take take) {
  const int64_t radius = radius_of(window);
  const int64_t kept = std::min<int64_t>(count, static_cast<int64_t>(window.size()));
  ScratchArray<float> ring(static_cast<size_t>(kept * size));
  ScratchArray<float> result(static_cast<size_t>(size));
  ScratchVector<const float*> rows(window.size());
  int64_t made = 0;
  for (int64_t line = 0; line < count; ++line) {
    for (; made < std::min(count, line + radius + 1); ++made) {
      make(made, ring.data() + made % kept * size);
    }
    for (int64_t tap = 0; tap < static_cast<int64_t>(window.size()); ++tap) {
      const int64_t from = border_place(Border::kReflect101, line - radius + tap, count);
      rows[static_cast<size_t>(tap)] = ring.data() + from % kept * size;
    }
    if (window.size() == 1 && window[0] == 1) {
      take(line, rows[0]);
    } else {
      blend_window(rows.data(), window, size, result.data());
      take(line, result.data());
    }
  }
}

/// Along the innermost axis.
template <class In>
class LineConvolution {
 public:
  LineConvolution(int64_t extent, int64_t channels, std::span<const float> window)
      : extent_(extent),
        channels_(channels),
        window_(window),
        extended_(static_cast<size_t>((extent + 2 * radius_of(window)) * channels)),
        rows_(window.size()) {
    for (size_t tap = 0; tap < rows_.size(); ++tap) {
      rows_[tap] = extended_.data() + static_cast<int64_t>(tap) * channels;
    }
  }

  void run(const In* in, float* out) {
    const int64_t radius = radius_of(window_);
    extend_line(in, extent_, channels_, radius, radius, Border::kReflect101, 0.0f, extended_.data());
    blend_window(rows_.data(), window_, extent_ * channels_, out);
  }

 private:
  int64_t extent_;
  int64_t channels_;
  std::span<const float> window_;
  ScratchArray<float> extended_;
  ScratchVector<const float*> rows_;
};

template <class In>
void convolve_line(const In* in, const tensor::Shape& shape, const ConvolutionWindows& windows, float* out) {
  LineConvolution<In>(shape[0], shape[1], windows[0]).run(in, out);
}

/// `take(y, row)` gets each row of the result.
template <class In, class Take>
void convolve_image(const In* in, int64_t height, int64_t width, int64_t channels,
                    std::span<const float> vertical, std::span<const float> horizontal, Take take) {
  const int64_t size = width * channels;
  LineConvolution<In> line(width, channels, horizontal);
  convolve_lines(
      height, size, vertical, [&](int64_t y, float* to) { line.run(in + y * size, to); }, take);
}

/// `take(first, line)` gets runs of the result; `first` is the place of the first element.
template <class In, class Take>
void convolve_to(const In* in, const tensor::Shape& shape, const ConvolutionWindows& windows, Take take) {
  const int axes = shape.rank() - 1;
  const int64_t channels = shape.back();
  if (axes == 1) {
    ScratchArray<float> line(static_cast<size_t>(shape.volume()));
    convolve_line(in, shape, windows, line.data());
    take(0, shape.volume(), line.data());
    return;
  }
  const int64_t row = shape[axes - 1] * channels;
  if (axes == 2) {
    convolve_image(in, shape[0], shape[1], channels, windows[0], windows[1],
                   [&](int64_t y, const float* line) { take(y * row, row, line); });
    return;
  }
  const int64_t slice = shape[1] * row;
  convolve_lines(
      shape[0], slice, windows[0],
      [&](int64_t z, float* to) {
        convolve_image(
            in + z * slice, shape[1], shape[2], channels, windows[1], windows[2],
            [&](int64_t y, const float* line) { std::copy_n(line, row, to + y * row); });  // copy: a row
      },
      [&](int64_t z, const float* line) { take(z * slice, slice, line); });
}

template <class Out>
void store_line(const float* in, int64_t size, Out* out) {
  constexpr bool kHasRounding = std::is_same_v<Out, uint8_t> || std::is_same_v<Out, uint16_t> ||
                                std::is_same_v<Out, int16_t> || std::is_same_v<Out, float>;
  if constexpr (kHasRounding) {
    round_row(in, size, out);
  } else {
    store_saturated(in, size, out);
  }
}

Status check_windows(const TensorView& in, const ConvolutionWindows& windows, const MutableTensorView& out) {
  const int axes = in.shape().rank() - 1;
  if (axes < 1 || axes > kMaxConvolvedAxes || !(in.shape() == out.shape()) ||
      (out.dtype() != in.dtype() && out.dtype() != DType::kFloat)) {
    return invalid_argument("convolution of {} to {}", in.spec.to_string(), out.spec.to_string());
  }
  for (int axis = 0; axis < axes; ++axis) {
    if (windows[axis].size() % 2 != 1) {
      return invalid_argument("a convolution's window has an odd length, not {}", windows[axis].size());
    }
  }
  return ok_status();
}

/// Calls function(in, out) with the elements' types.
template <class Function>
void visit_elements(const TensorView& in, const MutableTensorView& out, Function function) {
  tensor::visit_dtype(in.dtype(), [&](auto tag) {
    using In = typename decltype(tag)::type;
    const auto* from = static_cast<const In*>(in.data);
    if (out.dtype() == DType::kFloat) {
      function(from, static_cast<float*>(out.data));
    } else {
      function(from, static_cast<In*>(out.data));
    }
  });
}

}  // namespace

Status convolve(const TensorView& in, const ConvolutionWindows& windows, const MutableTensorView& out) {
  FOREBAY_RETURN_IF_ERROR(check_windows(in, windows, out));
  if (in.volume() == 0) {
    return ok_status();
  }
  return caught([&] {
    visit_elements(in, out, [&](const auto* from, auto* to) {
      convolve_to(from, in.shape(), windows, [&](int64_t first, int64_t size, const float* line) {
        store_line(line, size, to + first);
      });
    });
    return ok_status();
  });
}

Status convolve_sum(const TensorView& in, std::span<const ConvolutionWindows> windows,
                    std::span<const float> scales, const MutableTensorView& out) {
  for (const ConvolutionWindows& each : windows) {
    FOREBAY_RETURN_IF_ERROR(check_windows(in, each, out));
  }
  if (in.volume() == 0) {
    return ok_status();
  }
  return caught([&] {
    visit_elements(in, out, [&](const auto* from, auto* to) {
      ScratchArray<float> sum(static_cast<size_t>(in.volume()));
      std::fill_n(sum.data(), in.volume(), 0.0f);
      for (size_t i = 0; i < windows.size(); ++i) {
        convolve_to(from, in.shape(), windows[i], [&](int64_t first, int64_t size, const float* line) {
          float* to_sum = sum.data() + first;
          for (int64_t at = 0; at < size; ++at) {
            to_sum[at] += line[at] * scales[i];
          }
        });
      }
      store_saturated(sum.data(), in.volume(), to);
    });
    return ok_status();
  });
}

}  // namespace forebay::kernels
