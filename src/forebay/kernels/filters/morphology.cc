#include "forebay/kernels/filters/morphology.h"

#include <algorithm>
#include <limits>

#include "forebay/base/caught.h"
#include "forebay/kernels/filters/filter_lines.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

using memory::ScratchArray;
using tensor::MutableTensorView;
using tensor::TensorView;

template <class T, bool kIsDilation>
struct Extreme {
  static constexpr T outside() {
    if constexpr (std::numeric_limits<T>::has_infinity) {
      return kIsDilation ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
    } else {
      return kIsDilation ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    }
  }
  static T of(T a, T b) {
    if constexpr (kIsDilation) {
      return a < b ? b : a;
    } else {
      return b < a ? b : a;
    }
  }
};

/// line[i] becomes the extreme of line[i], line[i + step], ... line[i + (count - 1) * step], for i < size;
/// the line has size + (count - 1) * step elements, and all of them change.
template <class E, class T>
void slide(T* line, int64_t size, int64_t step, int64_t count) {
  int64_t covered = 1;  // each element stands for so many
  int64_t valid = size + (count - 1) * step;
  while (covered < count) {
    const int64_t more = std::min(covered, count - covered);
    valid -= more * step;
    for (int64_t i = 0; i < valid; ++i) {
      line[i] = E::of(line[i], line[i + more * step]);
    }
    covered += more;
  }
}

template <class T, bool kIsDilation>
void morphology_as(const T* in, const tensor::Shape& shape, const MorphologyOptions& options, T* out) {
  using E = Extreme<T, kIsDilation>;
  const int64_t height = shape[0];
  const int64_t channels = shape[2];
  const int64_t size = shape[1] * channels;
  const int64_t extended = size + (options.width - 1) * channels;
  ScratchArray<T> line(static_cast<size_t>(extended));
  ScratchArray<T> rows(static_cast<size_t>((height + options.height - 1) * size));
  for (int64_t y = 0; y < height; ++y) {
    extend_line(in + y * size, shape[1], channels, options.anchor_x, options.width - 1 - options.anchor_x,
                options.border, E::outside(), line.data());
    slide<E>(line.data(), size, channels, options.width);
    std::copy_n(line.data(), size, rows.data() + (y + options.anchor_y) * size);  // copy: a row
  }
  for (int64_t y = -options.anchor_y; y < height + options.height - 1 - options.anchor_y; ++y) {
    T* to = rows.data() + (y + options.anchor_y) * size;
    const int64_t from = border_place(options.border, y, height);
    if (from < 0) {
      std::fill_n(to, size, E::outside());
    } else if (from != y) {
      std::copy_n(rows.data() + (from + options.anchor_y) * size, size, to);  // copy: a row
    }
  }
  slide<E>(rows.data(), height * size, size, options.height);
  std::copy_n(rows.data(), height * size, out);  // copy: the image
}

}  // namespace

Status morphology(const TensorView& in, const MorphologyOptions& options, const MutableTensorView& out) {
  if (in.shape().rank() != 3 || !(in.spec.shape == out.spec.shape) || in.dtype() != out.dtype() ||
      options.anchor_x < 0 || options.anchor_x >= options.width || options.anchor_y < 0 ||
      options.anchor_y >= options.height) {
    return invalid_argument("a rectangle of {} x {} pixels with anchor ({}, {}) over {}, to {}",
                            options.width, options.height, options.anchor_x, options.anchor_y,
                            in.spec.to_string(), out.spec.to_string());
  }
  if (in.volume() == 0) {
    return ok_status();
  }
  return caught([&] {
    tensor::visit_dtype(in.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (!std::is_same_v<T, tensor::Float16>) {
        const auto* from = static_cast<const T*>(in.data);
        auto* to = static_cast<T*>(out.data);
        options.is_dilation ? morphology_as<T, true>(from, in.shape(), options, to)
                            : morphology_as<T, false>(from, in.shape(), options, to);
      }
    });
    return in.dtype() == tensor::DType::kFloat16
               ? invalid_argument("FLOAT16 has no extremes here; cast to FLOAT")
               : ok_status();
  });
}

}  // namespace forebay::kernels
