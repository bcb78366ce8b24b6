#include "forebay/operators/resampling/resize_plan.h"

#include <algorithm>

#include "forebay/operators/resampling/pass_order.h"

namespace forebay::operators {
namespace {

constexpr float kThinnestRegion = 1e-3F;  // thinner regions are widened

}  // namespace

SizeMode size_mode_of(const std::string& mode) {
  if (mode == "stretch") {
    return SizeMode::kStretch;
  }
  if (mode == "not_larger") {
    return SizeMode::kNotLarger;
  }
  return mode == "not_smaller" ? SizeMode::kNotSmaller : SizeMode::kGiven;
}

void adjust_sizes(SizeMode size_mode, std::span<const float> in, std::span<const float> max_size,
                  std::span<float> out) {
  std::array<bool, tensor::kMaxRank> is_given{};
  std::array<double, tensor::kMaxRank> scale{};
  const size_t count = in.size();
  int given = 0;
  for (size_t i = 0; i < count; ++i) {
    is_given[i] = out[i] != 0 && in[i] != 0;
    scale[i] = in[i] != 0 ? out[i] / in[i] : 1;
    given += is_given[i] ? 1 : 0;
  }
  if (size_mode == SizeMode::kGiven || size_mode == SizeMode::kStretch || given == 0) {
    double mean = 1;
    for (size_t i = 0; i < count; ++i) {
      mean *= is_given[i] ? std::fabs(scale[i]) : 1;
    }
    mean = given == 0 || size_mode == SizeMode::kStretch ? 1 : std::pow(mean, 1.0 / given);
    for (size_t i = 0; i < count; ++i) {
      out[i] = is_given[i] ? out[i] : static_cast<float>(in[i] * mean);
      out[i] = std::copysign(std::min(std::fabs(out[i]), max_size[i]), out[i]);
    }
    return;
  }
  double common = size_mode == SizeMode::kNotLarger ? HUGE_VAL : 0;
  for (size_t i = 0; i < count; ++i) {
    if (is_given[i]) {
      const double magnitude = std::fabs(scale[i]);
      common = size_mode == SizeMode::kNotLarger ? std::min(common, magnitude) : std::max(common, magnitude);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    if (in[i] != 0) {
      common = std::min(common, static_cast<double>(max_size[i]) / in[i]);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    if (!is_given[i] || std::fabs(scale[i]) != common) {
      out[i] = std::copysign(static_cast<float>(in[i] * common), out[i]);
    }
  }
}

Status set_region(float start, float end, float unit, ResizedAxis& axis) {
  axis.lo = start * unit;
  axis.hi = end * unit;
  if (!(std::fabs(axis.lo) <= kLargestResizedExtent && std::fabs(axis.hi) <= kLargestResizedExtent)) {
    return invalid_argument("a region from {} to {}; at most {} is allowed", axis.lo, axis.hi,
                            kLargestResizedExtent);
  }
  if (std::fabs(axis.hi - axis.lo) < kThinnestRegion) {
    const float centre = (axis.lo + axis.hi) * 0.5F;
    const float half = std::copysign(kThinnestRegion / 2, axis.hi - axis.lo);
    axis.lo = centre - half;
    axis.hi = centre + half;
  }
  return ok_status();
}

Status set_output(int index, float wanted, bool keeps_scale, const AxisRounding& rounding,
                  ResizedAxis& axis) {
  const float magnitude = std::fabs(wanted);
  if (!(magnitude <= kLargestResizedExtent)) {
    return invalid_argument("axis {} would become {} pixels long; at most {} are possible, set `max_size`",
                            index, magnitude, kLargestResizedExtent);
  }
  const auto rounded = static_cast<int64_t>(rounding.round(magnitude));
  axis.out_size = axis.in_size == 0 ? 0 : std::max<int64_t>(1, rounded);
  if (wanted < 0) {
    std::swap(axis.lo, axis.hi);
  }
  if (keeps_scale && magnitude > 0 && axis.out_size > 0 && static_cast<float>(axis.out_size) != magnitude) {
    kernels::adjust_roi_for_scale(static_cast<int>(axis.out_size), magnitude, &axis.lo, &axis.hi,
                                  rounding.alignment);
  }
  return ok_status();
}

Result<kernels::ResampleAxis> ResizePlan::axis(int index) const {
  const ResizedAxis& wanted = axes[index];
  kernels::ResampleAxisOptions options;
  options.in_size = static_cast<int>(wanted.in_size);
  options.out_size = static_cast<int>(wanted.out_size);
  options.lo = wanted.lo;
  options.hi = wanted.hi;
  options.min_filter = min_filter;
  options.mag_filter = mag_filter;
  options.antialias = antialias;
  options.nearest_place = index + 1 == space.count ? column_place : row_place;
  const bool takes_nearest =
      min_filter == kernels::ResampleFilter::kNearest || mag_filter == kernels::ResampleFilter::kNearest;
  if (takes_nearest && row_place == kernels::NearestPlace::kSum && wanted.out_size > 0 &&
      first_pass(std::span(axes).first(static_cast<size_t>(space.count))) != index) {
    options.nearest_origin = static_cast<int>(first_pixel(wanted));
  }
  return kernels::ResampleAxis::make(options);
}

}  // namespace forebay::operators
