#include "forebay/operators/resampling/resize_size.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace forebay::operators {
namespace {

using Sizes = std::array<float, 3>;

/// One value per axis, from a list with one value or with one per axis.
Result<Sizes> per_axis(std::span<const float> values, int count, std::string_view name) {
  if (values.size() != 1 && values.size() != static_cast<size_t>(count)) {
    return invalid_argument("`{}` has {} entries; one, or one for each of {} axes is needed", name,
                            values.size(), count);
  }
  Sizes sizes{};
  for (int i = 0; i < count; ++i) {
    sizes[i] = values.size() == 1 ? values[0] : values[i];
  }
  return sizes;
}

/// The extents requested by the user; 0 if not given.
Result<Sizes> requested_sizes(const Sample& sample, const ResizeSizeArguments& arguments, int count,
                              SizeMode& size_mode) {
  if (arguments.resize_shorter.is_given() || arguments.resize_longer.is_given()) {
    const bool is_shorter = arguments.resize_shorter.is_given();
    size_mode = is_shorter ? SizeMode::kNotSmaller : SizeMode::kNotLarger;
    const Arg<float>& side = is_shorter ? arguments.resize_shorter : arguments.resize_longer;
    FOREBAY_ASSIGN_OR_RETURN(const float extent, side.get(sample));
    return per_axis({&extent, 1}, count, is_shorter ? "resize_shorter" : "resize_longer");
  }
  size_mode = size_mode_of(arguments.mode);
  if (arguments.size.is_given()) {
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats sizes, arguments.size.values(sample));
    return per_axis(sizes, count, "size");
  }
  FOREBAY_ASSIGN_OR_RETURN(const float x, arguments.resize_x.get(sample));
  FOREBAY_ASSIGN_OR_RETURN(const float y, arguments.resize_y.get(sample));
  FOREBAY_ASSIGN_OR_RETURN(const float z, arguments.resize_z.get(sample));
  const Sizes sides{z, y, x};
  return per_axis(std::span(sides).last(count == 3 ? 3 : 2), count, "resize_x, y, z");
}

/// Sets the input region from the arguments; all of it without them.
Status set_regions(const Sample& sample, const ResizeSizeArguments& arguments, ResizePlan& plan) {
  const int count = plan.space.count;
  if (!arguments.roi_start.is_given()) {
    for (int i = 0; i < count; ++i) {
      plan.axes[i].lo = 0;
      plan.axes[i].hi = static_cast<float>(plan.axes[i].in_size);
    }
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats starts, arguments.roi_start.values(sample));
  FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats ends, arguments.roi_end.values(sample));
  FOREBAY_ASSIGN_OR_RETURN(const Sizes lo, per_axis(starts, count, "roi_start"));
  FOREBAY_ASSIGN_OR_RETURN(const Sizes hi, per_axis(ends, count, "roi_end"));
  for (int i = 0; i < count; ++i) {
    ResizedAxis& axis = plan.axes[i];
    const float unit = arguments.roi_relative ? static_cast<float>(axis.in_size) : 1.0F;
    FOREBAY_RETURN_IF_ERROR(set_region(lo[i], hi[i], unit, axis));
  }
  return ok_status();
}

}  // namespace

Status ResizeSizeArguments::check_size(const Arguments& arguments) const {
  const bool has_sides = resize_x.is_given() || resize_y.is_given() || resize_z.is_given();
  if (has_sides + size.is_given() + resize_shorter.is_given() + resize_longer.is_given() != 1) {
    return invalid_argument(
        "the output size must be given in exactly one way: `size`, or `resize_x`, `resize_y`, `resize_z`, or "
        "`resize_shorter`, or `resize_longer`");
  }
  if (arguments.constants.contains("mode") && (resize_shorter.is_given() || resize_longer.is_given())) {
    return invalid_argument(
        "`mode` cannot be given with `resize_shorter` or `resize_longer`, which imply one");
  }
  if (roi_start.is_given() != roi_end.is_given()) {
    return invalid_argument("`roi_start` and `roi_end` must be given together");
  }
  return ok_status();
}

Status set_axes(const Sample& sample, const ResizeSizeArguments& arguments, const TensorSpec& in,
                ResizePlan& plan) {
  const int count = plan.space.count;
  for (int i = 0; i < count; ++i) {
    plan.axes[i].in_size = in.shape[plan.space.first + i];
  }
  SizeMode size_mode = SizeMode::kGiven;
  FOREBAY_ASSIGN_OR_RETURN(Sizes wanted, requested_sizes(sample, arguments, count, size_mode));
  FOREBAY_RETURN_IF_ERROR(set_regions(sample, arguments, plan));
  Sizes max_size{HUGE_VALF, HUGE_VALF, HUGE_VALF};
  if (!arguments.max_size.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(max_size, per_axis(arguments.max_size, count, "max_size"));
    std::ranges::transform(max_size, max_size.begin(), limit_of);
  }
  Sizes shown{};
  for (int i = 0; i < count; ++i) {
    shown[i] = std::fabs(plan.axes[i].hi - plan.axes[i].lo);
  }
  const auto axes = static_cast<size_t>(count);
  adjust_sizes(size_mode, std::span(shown).first(axes), std::span(max_size).first(axes),
               std::span(wanted).first(axes));
  for (int i = 0; i < count; ++i) {
    FOREBAY_RETURN_IF_ERROR(set_output(i, wanted[i], arguments.subpixel_scale, AxisRounding(), plan.axes[i]));
  }
  return ok_status();
}

}  // namespace forebay::operators
