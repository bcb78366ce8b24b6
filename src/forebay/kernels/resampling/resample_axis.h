// One axis of a separable resampling, prepared: for each output pixel the first input pixel and the weights.
//
// Numerics follow DALI: half-pixel centres, filters as tables with linear interpolation (triangular 3
// entries, Gaussian 65, Lanczos3 193, Catmull-Rom cubic 129), weights divided by their sum, border pixels
// repeated. Repeated border pixels are folded into the weight of the border pixel, so every tap lies inside
// the input.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::kernels {

enum class ResampleFilter : uint8_t { kNearest, kLinear, kTriangular, kCubic, kLanczos3, kGaussian };

struct ResampleAxisOptions {
  int in_size = 0;
  int out_size = 0;
  /// Region of interest in input pixels, edges (not centres): [lo, hi) = [0, in_size) is all. lo > hi flips.
  /// It may reach outside the input. Already adjusted for subpixel scale where that is wanted
  /// (adjust_roi_for_scale()).
  float lo = 0;
  float hi = 0;
  ResampleFilter min_filter = ResampleFilter::kTriangular;  // used when out_size < |hi - lo|
  ResampleFilter mag_filter = ResampleFilter::kLinear;      // used otherwise
  /// Widens the min_filter by the scale. Linear means triangular then; without it triangular means linear.
  bool antialias = true;
};

/// DALI's `subpixel_scale`: keeps the centre of [lo, hi) and widens it by out_size / requested_size, where
/// requested_size is the fractional size that was rounded to out_size. The factor is clamped to [-10, 10].
void adjust_roi_for_scale(int out_size, float requested_size, float* lo, float* hi);

/// Where DALI 2.4 reads behind the input (nearest neighbour, region past the right edge), this repeats the
/// border.
class ResampleAxis {
 public:
  ResampleAxis() = default;

  /// invalid_argument when a size is not positive, a number is not finite, or the taps would exceed 2^31.
  static Result<ResampleAxis> make(const ResampleAxisOptions& options);

  int in_size() const { return in_size_; }
  int out_size() const { return static_cast<int>(first_.size()); }
  /// The largest number of taps of any output pixel; the row length of weights().
  int support() const { return support_; }
  bool is_nearest() const { return is_nearest_; }
  /// True when first() falls with the output index.
  bool is_flipped() const { return is_flipped_; }

  /// The input pixel of the first tap; first + count <= in_size. Grows with the output index, or falls when
  /// flipped.
  int first(int out) const { return first_[out]; }
  int count(int out) const { return count_[out]; }
  /// first() of all output pixels.
  std::span<const int32_t> firsts() const { return first_; }
  /// count(out) weights.
  const float* weights(int out) const { return window_weights(out) + (first_[out] - window_first(out)); }

  /// The same taps with zeros around them, support() of them for each output pixel, inside the input too:
  /// loops of one length.
  int window_first(int out) const { return std::min(first_[out], in_size_ - support_); }
  const float* window_weights(int out) const { return weights_.data() + static_cast<size_t>(out) * support_; }

  /// Input pixels that have a weight: [begin, end). The others need not be read or decoded.
  int source_begin() const { return source_begin_; }
  int source_end() const { return source_end_; }

 private:
  void make_nearest(float lo, float scale);
  void fold(int out, int64_t start, std::span<const float> raw);
  void find_source_range();

  int in_size_ = 0;
  int support_ = 0;
  int source_begin_ = 0;
  int source_end_ = 0;
  bool is_nearest_ = false;
  bool is_flipped_ = false;
  std::vector<int32_t> first_;
  std::vector<int32_t> count_;
  std::vector<float> weights_;
};

}  // namespace forebay::kernels
