// Resize as a plan (the output size, and the part of the input it shows) that is made first and run later, so
// that fused operators can share it. The rules are DALI's.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "forebay/kernels/resampling/resample_axis.h"
#include "forebay/operators/layout/image_axes.h"

namespace forebay::operators {

/// One spatial axis: [lo, hi) of the input, from pixel edge to pixel edge, becomes out_size pixels; lo > hi
/// flips.
struct ResizedAxis {
  int64_t in_size = 0;
  int64_t out_size = 0;
  float lo = 0;
  float hi = 0;
};

/// What becomes of extents that are not given, and whether the ratio of the extents is kept.
enum class SizeMode { kGiven, kStretch, kNotLarger, kNotSmaller };
SizeMode size_mode_of(const std::string& mode);

/// What an entry of `max_size` limits an extent to: 0 and negative ones are no limit, as in DALI.
inline float limit_of(float entry) {
  return entry > 0 ? entry : HUGE_VALF;
}

/// Completes `out` (0: not given) according to `size_mode` and limits it to `max_size` (infinite: no limit).
void adjust_sizes(SizeMode size_mode, std::span<const float> in, std::span<const float> max_size,
                  std::span<float> out);

/// Of what is asked for, in pixels.
inline constexpr int kLargestResizedExtent = 1 << 28;

/// How an extent that is no whole number becomes one.
struct AxisRounding {
  float (*round)(float) = std::round;
  float alignment = 0.5F;  // which part of the region stays in place where the scale is kept
};

/// Sets the axis' region, from `start` to `end` in multiples of `unit`; one that is very thin is widened.
Status set_region(float start, float end, float unit, ResizedAxis& axis);

/// Sets the axis' output to `wanted` elements, rounded (negative: flipped), and its region accordingly, which
/// `keeps_scale` adjusts to what was rounded. `index` is for errors.
Status set_output(int index, float wanted, bool keeps_scale, const AxisRounding& rounding, ResizedAxis& axis);

/// A planned and checked resize of one sample.
struct ResizePlan {
  SpatialAxes space;
  std::array<ResizedAxis, 3> axes;  // space.count of them, outermost first
  kernels::ResampleFilter min_filter = kernels::ResampleFilter::kTriangular;
  kernels::ResampleFilter mag_filter = kernels::ResampleFilter::kLinear;
  bool antialias = true;
  kernels::NearestPlace row_place = kernels::NearestPlace::kSum;         // of all axes but the last
  kernels::NearestPlace column_place = kernels::NearestPlace::kProduct;  // of the last
  bool is_pillow = false;
  TensorSpec out;

  /// The precomputed filter of axis `index`.
  Result<kernels::ResampleAxis> axis(int index) const;
};

}  // namespace forebay::operators
