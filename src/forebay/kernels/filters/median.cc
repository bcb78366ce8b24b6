#include "forebay/kernels/filters/median.h"

#include <algorithm>
#include <array>

#include "forebay/base/caught.h"
#include "forebay/kernels/filters/filter_lines.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

using memory::ScratchArray;
using tensor::DType;
using tensor::MutableTensorView;
using tensor::TensorView;

constexpr int64_t kLargestSelected = 25;  // bytes under more pixels than these are counted

/// The image with its outermost pixels repeated around it.
template <class T>
class ExtendedImage {
 public:
  ExtendedImage(const T* in, const tensor::Shape& shape, int64_t width, int64_t height)
      : row_((shape[1] + width - 1) * shape[2]), data_(static_cast<size_t>((shape[0] + height - 1) * row_)) {
    for (int64_t y = 0; y < shape[0] + height - 1; ++y) {
      const int64_t from = border_place(Border::kClamp, y - height / 2, shape[0]);
      extend_line(in + from * shape[1] * shape[2], shape[1], shape[2], width / 2, width / 2, Border::kClamp,
                  T{}, data_.data() + y * row_);
    }
  }

  const T* row(int64_t y) const { return data_.data() + y * row_; }

 private:
  int64_t row_;
  ScratchArray<T> data_;
};

template <class T>
void sort_two(T& a, T& b) {
  const T low = b < a ? b : a;
  b = b < a ? a : b;
  a = low;
}

/// Of three by three pixels, by the network of 19 exchanges (Paeth, "Median finding on a 3 x 3 grid",
/// Graphics Gems, 1990); a loop without a branch.
template <class T>
void median_of_nine(const T* const* rows, int64_t size, int64_t channels, T* out) {
  for (int64_t i = 0; i < size; ++i) {
    T p[9];
    for (int y = 0; y < 3; ++y) {
      for (int x = 0; x < 3; ++x) {
        p[3 * y + x] = rows[y][i + x * channels];
      }
    }
    sort_two(p[1], p[2]);
    sort_two(p[4], p[5]);
    sort_two(p[7], p[8]);
    sort_two(p[0], p[1]);
    sort_two(p[3], p[4]);
    sort_two(p[6], p[7]);
    sort_two(p[1], p[2]);
    sort_two(p[4], p[5]);
    sort_two(p[7], p[8]);
    sort_two(p[0], p[3]);
    sort_two(p[5], p[8]);
    sort_two(p[4], p[7]);
    sort_two(p[3], p[6]);
    sort_two(p[1], p[4]);
    sort_two(p[2], p[5]);
    sort_two(p[4], p[7]);
    sort_two(p[4], p[2]);
    sort_two(p[6], p[4]);
    sort_two(p[4], p[2]);
    out[i] = p[4];
  }
}

template <class T>
void select_row(const ExtendedImage<T>& image, int64_t y, const tensor::Shape& shape, int64_t width,
                int64_t height, std::span<T> window, T* out) {
  const int64_t channels = shape[2];
  for (int64_t i = 0; i < shape[1] * channels; ++i) {
    size_t at = 0;
    for (int64_t dy = 0; dy < height; ++dy) {
      const T* row = image.row(y + dy) + i;
      for (int64_t dx = 0; dx < width; ++dx) {
        window[at++] = row[dx * channels];
      }
    }
    const auto middle = window.begin() + window.size() / 2;
    std::ranges::nth_element(window, middle, [](T a, T b) {
      return a < b || (a == a && b != b);  // NaN comes last
    });
    out[i] = *middle;
  }
}

/// The counts of the bytes under the rectangle, and how many lie below `median`.
class MovingHistogram {
 public:
  void count(uint8_t value, int change) {
    counts_[value] += change;
    below_ += value < median_ ? change : 0;
  }
  /// The value with `half` others at or below it.
  uint8_t median(int64_t half) {
    while (below_ > half) {
      below_ -= counts_[--median_];
    }
    while (below_ + counts_[median_] <= half) {
      below_ += counts_[median_++];
    }
    return static_cast<uint8_t>(median_);
  }

 private:
  std::array<int64_t, 256> counts_{};
  int64_t below_ = 0;
  int median_ = 0;
};

void count_row(const ExtendedImage<uint8_t>& image, int64_t y, const tensor::Shape& shape, int64_t width,
               int64_t height, int64_t channel, uint8_t* out) {
  const int64_t channels = shape[2];
  MovingHistogram histogram;
  const auto count_column = [&](int64_t x, int change) {
    for (int64_t dy = 0; dy < height; ++dy) {
      histogram.count(image.row(y + dy)[x * channels + channel], change);
    }
  };
  for (int64_t x = 0; x < width - 1; ++x) {
    count_column(x, 1);
  }
  for (int64_t x = 0; x < shape[1]; ++x) {
    count_column(x + width - 1, 1);
    out[x * channels + channel] = histogram.median(width * height / 2);
    count_column(x, -1);
  }
}

template <class T>
void median_as(const T* in, const tensor::Shape& shape, int64_t width, int64_t height, T* out) {
  const ExtendedImage<T> image(in, shape, width, height);
  ScratchArray<T> window(static_cast<size_t>(width * height));
  const int64_t size = shape[1] * shape[2];
  for (int64_t y = 0; y < shape[0]; ++y) {
    if (width == 3 && height == 3) {
      const std::array<const T*, 3> rows{image.row(y), image.row(y + 1), image.row(y + 2)};
      median_of_nine(rows.data(), size, shape[2], out + y * size);
      continue;
    }
    if constexpr (std::is_same_v<T, uint8_t>) {
      if (width * height > kLargestSelected) {
        for (int64_t channel = 0; channel < shape[2]; ++channel) {
          count_row(image, y, shape, width, height, channel, out + y * size);
        }
        continue;
      }
    }
    select_row(image, y, shape, width, height, std::span<T>(window.data(), window.size()), out + y * size);
  }
}

}  // namespace

Status median(const TensorView& in, int64_t width, int64_t height, const MutableTensorView& out) {
  const DType dtype = in.dtype();
  if (in.shape().rank() != 3 || !(in.shape() == out.shape()) || out.dtype() != dtype ||
      (dtype != DType::kUint8 && dtype != DType::kUint16 && dtype != DType::kInt16 &&
       dtype != DType::kFloat)) {
    return invalid_argument("the median of {}, to {}; images of UINT8, UINT16, INT16 or FLOAT are needed",
                            in.spec.to_string(), out.spec.to_string());
  }
  if (width < 1 || height < 1 || width % 2 == 0 || height % 2 == 0) {
    return invalid_argument("a median's window has odd sides, not {} x {}", width, height);
  }
  if (in.volume() == 0) {
    return ok_status();
  }
  return caught([&] {
    tensor::visit_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, uint8_t> || std::is_same_v<T, uint16_t> || std::is_same_v<T, int16_t> ||
                    std::is_same_v<T, float>) {
        median_as(in.as<T>(), in.shape(), width, height, out.as<T>());
      }
    });
    return ok_status();
  });
}

}  // namespace forebay::kernels
