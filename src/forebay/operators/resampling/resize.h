// Resize as a plan (the output size, and the part of the input it shows) that is made first and run later, so
// that fused operators can share it. The rules are DALI's.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "forebay/kernels/resampling/resample_axis.h"
#include "forebay/operators/arg.h"
#include "forebay/operators/layout/image_axes.h"
#include "forebay/operators/types.h"
#include "forebay/operators/value.h"
#include "forebay/operators/windows/random_crop.h"

namespace forebay::operators {

/// Filters and numerics of resampling, shared by resize, random_resized_crop and resize_crop_mirror.
struct ResampleArguments {
  Arg<InterpType> interp_type = InterpType::kLinear;
  Arg<InterpType> mag_filter = InterpType::kLinear;
  Arg<InterpType> min_filter = InterpType::kLinear;
  bool antialias = true;
  std::optional<DType> dtype;
  std::string numerics = "dali";
};

/// The requested size, the mode and the region of interest.
struct ResizeSizeArguments {
  Arg<std::vector<float>> size;
  Arg<float> resize_x = 0.0F;
  Arg<float> resize_y = 0.0F;
  Arg<float> resize_z = 0.0F;
  Arg<float> resize_shorter = 0.0F;
  Arg<float> resize_longer = 0.0F;
  std::string mode = "default";
  std::vector<float> max_size;
  bool subpixel_scale = true;
  Arg<std::vector<float>> roi_start;
  Arg<std::vector<float>> roi_end;
  bool roi_relative = false;

  Status check_size(const Arguments& arguments) const;
};

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

/// Sets the plan's filters, dtype and output spec; `plan.space` and `plan.axes` must be set.
Status complete_plan(const Sample& sample, const ResampleArguments& arguments, const TensorSpec& in,
                     ResizePlan& plan);

/// Sets input size, output size and region of the axes in `plan.space`.
Status set_axes(const Sample& sample, const ResizeSizeArguments& arguments, const TensorSpec& in,
                ResizePlan& plan);

/// Makes output 0 of `sample` from input 0, resized.
Status run_resize(Sample& sample, const ResizePlan& plan);

/// Resizes `in` into `out`.
Status resize_tensor(Sample& sample, const TensorView& in, const ResizePlan& plan,
                     const MutableTensorView& out);

struct Resize : ResizeSizeArguments, ResampleArguments {
  bool save_attrs = false;

  Status prepare(const Arguments& arguments) const;
  int num_outputs() const { return save_attrs ? 2 : 1; }
  Result<ResizePlan> plan(const Sample& sample, const TensorSpec& in) const;
  Status run(Sample& sample) const;
};

struct RandomResizedCrop : RandomCropArguments, ResampleArguments {
  std::vector<int64_t> size;

  Status prepare(const Arguments& arguments) const;
  Result<ResizePlan> plan(const Sample& sample, const TensorSpec& in) const;
  Status run(Sample& sample) const;
};

Status check_resample(const ResampleArguments& arguments);

template <class Description>
void add_resample_arguments(Description& description) {
  using A = ResampleArguments;
  description.param("interp_type", &A::interp_type, "Filter, unless min_filter or mag_filter says otherwise.")
      .param("mag_filter", &A::mag_filter, "Filter where the output is larger.")
      .param("min_filter", &A::min_filter, "Filter where the output is smaller.")
      .param("antialias", &A::antialias, "Widens the filter by the scale where the output is smaller.")
      .param("dtype", &A::dtype, "Element type of the output: that of the input, or FLOAT.")
      .param(
          "numerics", &A::numerics,
          "Whose pixels are given: `dali`; `exact` (as `dali`, but places of nearest neighbours are not "
          "rounded); `torchvision` (nearest neighbours alone, as of tensors); `pillow` (whole images, always "
          "antialiased).")
      .choices({"dali", "exact", "torchvision", "pillow"})
      .ignored("minibatch_size", int64_t{32})
      .ignored("temp_buffer_hint", int64_t{0});
}

template <class Description>
void add_resize_size_arguments(Description& description) {
  using A = ResizeSizeArguments;
  description
      .param("size", &A::size,
             "Size of the output, an entry an axis of space (HW, DHW), or one for all; 0: not given.")
      .param("resize_x", &A::resize_x, "Width of the output; negative mirrors. Instead of `size`.")
      .param("resize_y", &A::resize_y, "Height of the output; negative mirrors.")
      .param("resize_z", &A::resize_z, "Depth of the output; negative mirrors.")
      .param("resize_shorter", &A::resize_shorter,
             "Size of the shortest side; the ratio of the sides is kept.")
      .param("resize_longer", &A::resize_longer, "Size of the longest side; the ratio of the sides is kept.")
      .param(
          "mode", &A::mode,
          "What becomes of sides that are not given, and whether the ratio is kept: `default` scales missing "
          "ones "
          "by the mean of the others, `stretch` leaves them, `not_larger` and `not_smaller` keep the ratio.")
      .choices({"default", "stretch", "not_larger", "not_smaller"})
      .param("max_size", &A::max_size, "Largest output: one for all axes, or one each; 0: no limit.")
      .param("subpixel_scale", &A::subpixel_scale,
             "Where the size is rounded, adjusts the region of the input so that the scale stays as asked.")
      .param("roi_start", &A::roi_start,
             "First corner of the part of the input that is shown, in order of the shape.")
      .param("roi_end", &A::roi_end, "Last corner of that part; before roi_start on an axis: mirrored.")
      .param("roi_relative", &A::roi_relative, "The corners are relative to the input's size.");
}

/// All that resize and experimental.resize take and give.
template <class Description>
void add_resize(Description& description) {
  description.input("data",
                    "HWC, CHW, DHWC, CDHW, or a sequence of these (F); uint8, uint16, int16 or float.");
  add_resize_size_arguments(description);
  add_resample_arguments(description);
  description
      .param("save_attrs", &Resize::save_attrs,
             "Adds an output: the size of the input, int32, in order of the shape.")
      .ignored("image_type", std::optional<ImageType>())
      .outputs("The resized data, of the input's layout.");
}

}  // namespace forebay::operators
