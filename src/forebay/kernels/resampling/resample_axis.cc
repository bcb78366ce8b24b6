#include "forebay/kernels/resampling/resample_axis.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace forebay::kernels {
namespace {

// A symmetric filter as a table: values at equal steps over its whole support, interpolated linearly.
struct FilterTable {
  std::vector<float> values;

  float operator()(float position) const {
    const int last = static_cast<int>(values.size()) - 1;
    // Drops to 0 within one step, because the Gaussian does not end in 0.
    if (position >= static_cast<float>(last)) {
      return position < static_cast<float>(last + 1)
                 ? values[last] * (static_cast<float>(last + 1) - position)
                 : 0;
    }
    const int at = static_cast<int>(position);
    const float fraction = position - static_cast<float>(at);
    return values[at] + fraction * (values[at + 1] - values[at]);
  }
};

template <class F>
FilterTable make_table(int size, double reach, F&& function) {
  FilterTable table;
  table.values.resize(size);
  for (int i = 0; i < size; ++i) {
    const double x = reach * (2.0 * i / (size - 1) - 1);
    table.values[i] = static_cast<float>(function(x));
  }
  return table;
}

double sinc(double x) {
  const double angle = x * std::numbers::pi;
  return std::abs(x) < 1e-5 ? 1 - angle * angle / 6 : std::sin(angle) / angle;
}

double lanczos3(double x) {
  return std::abs(x) >= 3 ? 0 : sinc(x) * sinc(x / 3);
}

// Keys' cubic convolution with a = -0.5 (Catmull-Rom).
double catmull_rom(double x) {
  x = std::abs(x);
  if (x < 1) {
    return (1.5 * x - 2.5) * x * x + 1;
  }
  return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
}

const FilterTable& table_of(ResampleFilter filter) {
  // Never destroyed: threads may still resample during process exit.
  static const auto& triangular = *new FilterTable{{0, 1, 0}};
  static const auto& gaussian =
      *new FilterTable(make_table(65, 2, [](double x) { return std::exp(-x * x); }));
  static const auto& lanczos = *new FilterTable(make_table(193, 3, lanczos3));
  static const auto& cubic = *new FilterTable(make_table(129, 2, catmull_rom));
  switch (filter) {
    case ResampleFilter::kGaussian:
      return gaussian;
    case ResampleFilter::kLanczos3:
      return lanczos;
    case ResampleFilter::kCubic:
      return cubic;
    default:
      return triangular;
  }
}

// The support in input pixels. For the Gaussian it is not exactly 2 * widening: DALI computes it from sigma,
// and whether it is above or below a whole number decides about a tap.
float extent_of(ResampleFilter filter, float widening) {
  switch (filter) {
    case ResampleFilter::kCubic:
      return 4 * widening;
    case ResampleFilter::kLanczos3:
      return 6 * widening;
    case ResampleFilter::kGaussian: {
      const auto sigma = static_cast<float>(static_cast<double>(widening * 0.5f) / std::numbers::sqrt2);
      return static_cast<float>(4 * std::numbers::sqrt2) * sigma;
    }
    default:
      return 2 * widening;
  }
}

struct ChosenFilter {
  ResampleFilter filter;
  float widening = 1;
};

ChosenFilter choose_filter(const ResampleAxisOptions& options) {
  const float extent = std::abs(options.hi - options.lo);
  const bool shrinks = static_cast<float>(options.out_size) < extent;
  const bool antialias = shrinks && options.antialias;
  ResampleFilter filter = shrinks ? options.min_filter : options.mag_filter;
  if (filter == ResampleFilter::kTriangular && !antialias) {
    filter = ResampleFilter::kLinear;
  } else if (filter == ResampleFilter::kLinear && antialias) {
    filter = ResampleFilter::kTriangular;
  }
  return {filter, antialias ? extent / static_cast<float>(options.out_size) : 1.0f};
}

Status check(const ResampleAxisOptions& options) {
  if (options.in_size < 1 || options.out_size < 1 || options.out_size > (1 << 28)) {
    return invalid_argument("resampling from {} to {} pixels: sizes must be positive and below 2^28",
                            options.in_size, options.out_size);
  }
  constexpr float kFarthest = 1e9f;
  if (!(std::abs(options.lo) <= kFarthest) || !(std::abs(options.hi) <= kFarthest)) {
    return invalid_argument("resampling: the region of interest [{}, {}) is out of range", options.lo,
                            options.hi);
  }
  return ok_status();
}

/// Calls `use` with a function from output pixels, which are asked in order, to places: floored, they are
/// pixels, counted from the origin.
template <class Use>
void with_nearest_places(const ResampleAxisOptions& options, Use use) {
  const auto origin = static_cast<float>(options.nearest_origin);
  const float lo = options.lo - origin;
  const float hi = options.hi - origin;
  const float scale = (options.hi - options.lo) / static_cast<float>(options.out_size);
  switch (options.nearest_place) {
    case NearestPlace::kProduct:
      return use([=](int x) { return lo + (static_cast<float>(x) + 0.5F) * scale; });
    case NearestPlace::kSum:
      return use(
          [scale, place = lo + 0.5F * scale](int) mutable { return std::exchange(place, place + scale); });
    case NearestPlace::kExact:
      return use([lo = double{lo}, hi = double{hi}, all = 2.0 * options.out_size](int x) {
        const double after = 2.0 * x + 1;
        return (lo * (all - after) + hi * after) / all;
      });
    case NearestPlace::kEdge: {
      const float first = std::min(lo, hi);
      const double last = std::ceil(std::max(lo, hi)) - 1;  // as PyTorch does not leave the picture
      return use([=, step = std::abs(scale)](int x) {
        return std::min(first + double{static_cast<float>(x) * step}, last);
      });
    }
  }
}

}  // namespace

void adjust_roi_for_scale(int out_size, float requested_size, float* lo, float* hi, float alignment) {
  requested_size = std::abs(requested_size);
  if (requested_size == 0 || static_cast<float>(out_size) == requested_size) {
    return;
  }
  const double factor = std::min(out_size / double{requested_size}, 10.0);
  const double center = *lo + (double{*hi} - *lo) * alignment;
  *lo = static_cast<float>(center + (*lo - center) * factor);
  *hi = static_cast<float>(center + (*hi - center) * factor);
}

// Adds taps outside the input to its border pixels. Trailing zeros are not counted; leading ones are, so that
// first() never decreases from one output pixel to the next.
void ResampleAxis::fold(int out, int64_t start, std::span<const float> raw) {
  const auto inside = [&](int64_t at) { return std::clamp<int64_t>(at, 0, in_size_ - 1); };
  const int64_t low = inside(start);
  const auto taps = static_cast<int64_t>(raw.size());
  first_[out] = static_cast<int32_t>(low);
  float* weights = weights_.data() + static_cast<size_t>(out) * support_ + (low - window_first(out));
  if (start == low && start + taps <= in_size_) {
    std::copy(raw.begin(), raw.end(), weights);
  } else {
    for (int64_t k = 0; k < taps; ++k) {
      weights[inside(start + k) - low] += raw[k];
    }
  }
  int64_t count = inside(start + taps - 1) - low + 1;
  while (count > 1 && weights[count - 1] == 0) {
    --count;
  }
  count_[out] = static_cast<int32_t>(count);
}

Result<ResampleAxis> ResampleAxis::make(const ResampleAxisOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check(options));
  ResampleAxis axis;
  FOREBAY_RETURN_IF_ERROR(caught([&] { return axis.make_tables(options); }));
  return axis;
}

Status ResampleAxis::make_tables(const ResampleAxisOptions& options) {
  const ChosenFilter chosen = choose_filter(options);
  const float scale = (options.hi - options.lo) / static_cast<float>(options.out_size);
  in_size_ = options.in_size;
  is_flipped_ = scale < 0;
  if (chosen.filter == ResampleFilter::kNearest) {
    first_.resize(options.out_size);
    count_.assign(options.out_size, 1);
    make_nearest(options);
    return ok_status();
  }
  const FilterTable& table = table_of(chosen.filter);
  const auto last_entry = static_cast<float>(table.values.size() - 1);
  const float step = last_entry / extent_of(chosen.filter, chosen.widening);  // table entries per input pixel
  const float anchor = last_entry * 0.5f / step;
  const auto taps_per_pixel = static_cast<int64_t>(std::ceil(last_entry / step));
  if (taps_per_pixel * options.out_size > (int64_t{1} << 28)) {
    return invalid_argument("resampling from {} to {} pixels takes too many filter taps",
                            options.hi - options.lo, options.out_size);
  }
  const float origin = options.lo + 0.5f * scale - 0.5f - anchor;
  support_ = static_cast<int>(std::min<int64_t>(taps_per_pixel, options.in_size));
  first_.resize(options.out_size);
  count_.resize(options.out_size);
  weights_.assign(static_cast<size_t>(support_) * options.out_size, 0);
  memory::ScratchVector<float> raw(taps_per_pixel);
  for (int x = 0; x < options.out_size; ++x) {
    const float position = static_cast<float>(x) * scale + origin;
    const float start = std::ceil(position);  // the filter is 0 before that
    float sum = 0;
    for (int64_t k = 0; k < taps_per_pixel; ++k) {
      raw[k] = table((start - position + static_cast<float>(k)) * step);
      sum += raw[k];
    }
    for (float& weight : raw) {
      weight = sum != 0 ? weight / sum : 0;
    }
    fold(x, static_cast<int64_t>(start), raw);
  }
  find_source_range();
  return ok_status();
}

void ResampleAxis::make_nearest(const ResampleAxisOptions& options) {
  is_nearest_ = true;
  support_ = 1;
  weights_.assign(first_.size(), 1);
  with_nearest_places(options, [&](auto place_of) {
    for (size_t x = 0; x < first_.size(); ++x) {
      const auto pixel =
          options.nearest_origin + static_cast<int64_t>(std::floor(place_of(static_cast<int>(x))));
      first_[x] = static_cast<int32_t>(std::clamp<int64_t>(pixel, 0, in_size_ - 1));
    }
  });
  if (is_flipped_ && options.nearest_place == NearestPlace::kEdge) {
    std::ranges::reverse(first_);
  }
  find_source_range();
}

void ResampleAxis::find_source_range() {
  source_begin_ = in_size_;
  source_end_ = 0;
  for (size_t x = 0; x < first_.size(); ++x) {
    source_begin_ = std::min(source_begin_, first_[x]);
    source_end_ = std::max(source_end_, first_[x] + count_[x]);
  }
}

}  // namespace forebay::kernels
