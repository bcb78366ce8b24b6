// One axis of a separable resampling, precomputed: for each output pixel, its first input pixel and its
// weights.
//
// Numerics follow DALI: half-pixel centres, filters as tables with linear interpolation (triangular 3
// entries, Gaussian 65, Lanczos3 193, Catmull-Rom cubic 129), weights divided by their sum, border pixels
// repeated. Repeated border pixels are folded into the weight of the border pixel, so every tap is inside the
// input.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "forebay/base/status.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {

enum class ResampleFilter : uint8_t { kNearest, kLinear, kTriangular, kCubic, kLanczos3, kGaussian };

/// Where kNearest looks for output pixel x, with scale = (hi - lo) / out_size: the input pixel is
/// floor(place). They differ where a place is the border between two pixels, but for the last.
enum class NearestPlace : uint8_t {
  kProduct,  // lo + (x + 0.5) * scale, in float: DALI's columns, and nearest-exact of PyTorch
  kSum,      // lo + 0.5 * scale, and scale added x times, in float: DALI's rows and planes
  kExact,    // (lo * (2 n - 2 x - 1) + hi * (2 x + 1)) / 2 n for n = out_size: exact for regions of whole
             // pixels
  kEdge,     // lo + x * scale, where pixels begin: nearest of PyTorch. Reversed if flipped
};

struct ResampleAxisOptions {
  int in_size = 0;
  int out_size = 0;
  /// The region of interest in input pixels, from edge to edge (not centres): [lo, hi) = [0, in_size) is
  /// everything. lo > hi flips. May extend outside the input. Must already be adjusted for subpixel scale if
  /// that is wanted (adjust_roi_for_scale()).
  float lo = 0;
  float hi = 0;
  ResampleFilter min_filter = ResampleFilter::kTriangular;  // used if out_size < |hi - lo|
  ResampleFilter mag_filter = ResampleFilter::kLinear;      // used otherwise
  /// Widens min_filter by the scale. Linear then means triangular; without it, triangular means linear.
  bool antialias = true;
  NearestPlace nearest_place = NearestPlace::kProduct;
  int nearest_origin =
      0;  // the input pixel that places are counted from, which shows in how they are rounded
};

/// DALI's `subpixel_scale`: keeps the centre of [lo, hi) and scales its width by out_size / requested_size,
/// where requested_size is the fractional size that was rounded to out_size. The factor is clamped to [-10,
/// 10].
void adjust_roi_for_scale(int out_size, float requested_size, float* lo, float* hi, float alignment = 0.5f);

/// Unlike DALI 2.4, which reads past the end of the input (nearest neighbour, region past the right edge),
/// this repeats the border. The tables are scratch memory: an axis must not outlive the memory::ScratchScope
/// that it is made in.
class ResampleAxis {
 public:
  ResampleAxis() = default;

  /// invalid_argument if a size is not positive, a number is not finite, or the taps would exceed 2^28;
  /// resource_exhausted.
  static Result<ResampleAxis> make(const ResampleAxisOptions& options);

  int in_size() const { return in_size_; }
  int out_size() const { return static_cast<int>(first_.size()); }
  /// The maximum number of taps of any output pixel, which is the row length of weights().
  int support() const { return support_; }
  bool is_nearest() const { return is_nearest_; }
  /// Whether first() decreases as the output index increases.
  bool is_flipped() const { return is_flipped_; }

  /// The input pixel of the first tap; first + count <= in_size. Monotonic in the output index: increasing,
  /// or decreasing if flipped.
  int first(int out) const { return first_[out]; }
  int count(int out) const { return count_[out]; }
  /// first() for all output pixels.
  std::span<const int32_t> firsts() const { return first_; }
  /// The count(out) weights of a pixel.
  const float* weights(int out) const { return window_weights(out) + (first_[out] - window_first(out)); }

  /// The same taps padded with zeros to support() taps per output pixel, all inside the input: for loops of
  /// constant length.
  int window_first(int out) const { return std::min(first_[out], in_size_ - support_); }
  const float* window_weights(int out) const { return weights_.data() + static_cast<size_t>(out) * support_; }

  /// The input pixels that have a weight are [begin, end); others need not be read or decoded.
  int source_begin() const { return source_begin_; }
  int source_end() const { return source_end_; }

 private:
  Status make_tables(const ResampleAxisOptions& options);
  void make_nearest(const ResampleAxisOptions& options);
  void fold(int out, int64_t start, std::span<const float> raw);
  void find_source_range();

  int in_size_ = 0;
  int support_ = 0;
  int source_begin_ = 0;
  int source_end_ = 0;
  bool is_nearest_ = false;
  bool is_flipped_ = false;
  memory::ScratchVector<int32_t> first_;
  memory::ScratchVector<int32_t> count_;
  memory::ScratchVector<float> weights_;
};

}  // namespace forebay::kernels
