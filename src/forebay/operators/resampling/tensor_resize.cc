// tensor_resize: resampling along any axes of any tensor.
#include <algorithm>
#include <cmath>
#include <limits>

#include "forebay/operators/describe.h"
#include "forebay/operators/layout/axes.h"
#include "forebay/operators/resampling/resize.h"

namespace forebay::operators {
namespace {

constexpr int kMostResizedAxes = 3;
constexpr int64_t kMostChannels = 1 << 24;  // that resample() takes

struct TensorResize : ResampleArguments {
  Arg<std::vector<float>> sizes;
  Arg<std::vector<float>> scales;
  std::optional<std::vector<int64_t>> axes;
  std::optional<LayoutName> axis_names;
  Arg<std::vector<float>> alignment = std::vector<float>{0.5F};
  std::string size_rounding = "round";
  std::string mode = "default";
  std::vector<float> max_size;
  bool subpixel_scale = true;
  Arg<std::vector<float>> roi_start;
  Arg<std::vector<float>> roi_end;
  bool roi_relative = false;

  Status prepare(const Arguments&) const {
    FOREBAY_RETURN_IF_ERROR(check_resample(*this));
    if (sizes.is_given() == scales.is_given()) {
      return invalid_argument("give the output's extents either as `sizes` or as `scales`");
    }
    if (axes && axis_names) {
      return invalid_argument("give the axes either as `axes` or as `axis_names`");
    }
    if (roi_start.is_given() != roi_end.is_given()) {
      return invalid_argument("`roi_start` and `roi_end` must be given together");
    }
    if (scales.is_given() && (mode == "not_larger" || mode == "not_smaller")) {
      return invalid_argument("mode=\"{}\" needs `sizes`, not `scales`", mode);
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<ResizedAxis> resized, resized_axes(sample));
    FOREBAY_ASSIGN_OR_RETURN(ResizePlan plan, plan_of(in.shape(), resized));
    TensorSpec folded = folded_spec(in.spec(), plan);
    FOREBAY_RETURN_IF_ERROR(complete_plan(sample, *this, folded, plan));
    TensorSpec spec{in.shape(), plan.out.dtype, in.layout()};
    for (int axis = 0; axis < in.shape().rank(); ++axis) {
      spec.shape[axis] = resized[static_cast<size_t>(axis)].out_size;
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    return resize_tensor(sample, {in.data(), folded}, plan, {out.data, plan.out});
  }

 private:
  Result<std::vector<int>> chosen_axes(const Tensor& in) const {
    if (axis_names) {
      return named_axes(axis_names->names, in.layout());
    }
    if (axes) {
      return resolved_axes(*axes, in.shape().rank());
    }
    std::vector<int> all;
    for (int axis = 0; axis < in.shape().rank(); ++axis) {
      all.push_back(axis);
    }
    return all;
  }

  /// `values` for the chosen axes, one for all or one each, put in their places in `to`.
  static Status spread(std::string_view name, std::span<const float> values, std::span<const int> chosen,
                       std::span<float> to) {
    if (values.size() != 1 && values.size() != chosen.size()) {
      return invalid_argument("{} has {} numbers for {} axes", name, values.size(), chosen.size());
    }
    for (size_t i = 0; i < chosen.size(); ++i) {
      to[static_cast<size_t>(chosen[i])] = values[values.size() == 1 ? 0 : i];
    }
    return ok_status();
  }
  static Status spread(std::string_view name, const Sample& sample, const Arg<std::vector<float>>& argument,
                       std::span<const int> chosen, std::span<float> to) {
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<float> values, argument.get(sample));
    return spread(name, values, chosen, to);
  }

  AxisRounding rounding_of(float aligned) const {
    AxisRounding rounding{std::round, aligned};
    if (size_rounding == "truncate") {
      rounding.round = std::trunc;
    } else if (size_rounding == "ceil") {
      rounding.round = std::ceil;
    }
    return rounding;
  }

  /// All axes, in order, with their regions and what they become.
  Result<std::vector<ResizedAxis>> resized_axes(const Sample& sample) const {
    const Shape& shape = sample.input(0).shape();
    const auto rank = static_cast<size_t>(shape.rank());
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<int> chosen, chosen_axes(sample.input(0)));
    std::vector<float> wanted(rank);
    std::vector<float> low(rank, 0.0F);
    std::vector<float> high(rank, 1.0F);
    std::vector<float> limits(rank, HUGE_VALF);
    std::vector<float> alignments(rank, 0.5F);
    for (size_t i = 0; i < rank; ++i) {
      wanted[i] = scales.is_given() ? 1.0F : static_cast<float>(shape[static_cast<int>(i)]);
      high[i] = roi_relative ? 1.0F : static_cast<float>(shape[static_cast<int>(i)]);
    }
    FOREBAY_RETURN_IF_ERROR(scales.is_given() ? spread("scales", sample, scales, chosen, wanted)
                                              : spread("sizes", sample, sizes, chosen, wanted));
    FOREBAY_RETURN_IF_ERROR(spread("alignment", sample, alignment, chosen, alignments));
    if (roi_start.is_given()) {
      FOREBAY_RETURN_IF_ERROR(spread("roi_start", sample, roi_start, chosen, low));
      FOREBAY_RETURN_IF_ERROR(spread("roi_end", sample, roi_end, chosen, high));
    }
    if (!max_size.empty()) {
      FOREBAY_RETURN_IF_ERROR(spread("max_size", max_size, chosen, limits));
      std::ranges::transform(limits, limits.begin(), limit_of);
    }
    std::vector<ResizedAxis> resized(rank);
    std::vector<float> shown(rank);
    for (size_t i = 0; i < rank; ++i) {
      ResizedAxis& axis = resized[i];
      axis.in_size = shape[static_cast<int>(i)];
      const auto extent = static_cast<float>(axis.in_size);
      wanted[i] *= scales.is_given() ? extent : 1.0F;
      FOREBAY_RETURN_IF_ERROR(set_region(low[i], high[i], roi_relative ? extent : 1.0F, axis));
      shown[i] = std::fabs(axis.hi - axis.lo);
    }
    adjust_sizes(size_mode_of(mode), shown, limits, wanted);
    for (size_t i = 0; i < rank; ++i) {
      FOREBAY_RETURN_IF_ERROR(
          set_output(static_cast<int>(i), wanted[i], subpixel_scale, rounding_of(alignments[i]), resized[i]));
    }
    return resized;
  }

  static bool is_changed(const ResizedAxis& axis) {
    return axis.out_size != axis.in_size || axis.lo != 0 || axis.hi != static_cast<float>(axis.in_size);
  }

  /// The axes from the first to the last that changes, with all before and behind them folded into one.
  static Result<ResizePlan> plan_of(const Shape& shape, std::span<const ResizedAxis> resized) {
    if (resized.empty()) {
      return invalid_argument("a single number has no axes to resize");
    }
    const auto first = std::ranges::find_if(resized, is_changed);
    const auto last = std::find_if(resized.rbegin(), resized.rend(), is_changed).base();
    const int begin = static_cast<int>(first == resized.end() ? 0 : first - resized.begin());
    const int end = first == resized.end() ? 1 : static_cast<int>(last - resized.begin());
    if (end - begin > kMostResizedAxes) {
      return invalid_argument("the axes {} to {} change; at most {} neighbours are resized at once", begin,
                              end - 1, kMostResizedAxes);
    }
    ResizePlan plan;
    plan.space.first = 1;
    plan.space.count = std::max(end - begin, 2);
    plan.space.outer = shape.volume(0, begin);
    plan.space.channels = shape.volume(end, shape.rank());
    std::copy(resized.begin() + begin, resized.begin() + end, plan.axes.begin());
    if (end - begin == 1) {
      set_other_axis(shape, end, plan);
    }
    return plan;
  }

  /// Where axes[0] alone changes: it is resized as rows, or as columns where no axis is behind it, as DALI
  /// does.
  static void set_other_axis(const Shape& shape, int end, ResizePlan& plan) {
    plan.axes[1] = {1, 1, 0, 1};
    if (end == shape.rank()) {
      std::swap(plan.axes[0], plan.axes[1]);
    } else if (plan.space.channels > kMostChannels) {
      const int64_t columns = shape[end];
      plan.axes[1] = {columns, columns, 0, static_cast<float>(columns)};
      plan.space.channels /= columns;
    }
  }

  static TensorSpec folded_spec(const TensorSpec& in, const ResizePlan& plan) {
    TensorSpec folded{{plan.space.outer}, in.dtype, {}};
    for (int i = 0; i < plan.space.count; ++i) {
      folded.shape.push_back(plan.axes[static_cast<size_t>(i)].in_size);
    }
    folded.shape.push_back(plan.space.channels);
    return folded;
  }
};

}  // namespace

OperatorSpec tensor_resize() {
  return describe<TensorResize>("tensor_resize", "Resizes tensors along any axes.")
      .input("data", "Any tensor of uint8, uint16, int16 or float.")
      .param("sizes", &TensorResize::sizes,
             "Extents of the output along the axes, or one for all; negative mirrors, 0: not given.")
      .param("scales", &TensorResize::scales, "Factors of the extents, instead of `sizes`.")
      .param("axes", &TensorResize::axes, "The axes that are resized; all without it.")
      .param("axis_names", &TensorResize::axis_names, "The axes by their names.")
      .param("alignment", &TensorResize::alignment,
             "Which part of the region stays in place where an extent is rounded: 0 its start, 1 its end.")
      .param("size_rounding", &TensorResize::size_rounding, "How extents become whole numbers.")
      .choices({"round", "truncate", "ceil"})
      .param("mode", &TensorResize::mode,
             "What becomes of extents that are not given, and whether the ratio is kept: as for resize.")
      .choices({"default", "stretch", "not_larger", "not_smaller"})
      .param("max_size", &TensorResize::max_size,
             "Largest output: one for all axes, or one each; 0: no limit.")
      .param("subpixel_scale", &TensorResize::subpixel_scale,
             "Where an extent is rounded, adjusts the region of the input so that the scale stays as asked.")
      .param("roi_start", &TensorResize::roi_start, "First corner of the part of the input that is shown.")
      .param("roi_end", &TensorResize::roi_end, "Last corner of that part.")
      .param("roi_relative", &TensorResize::roi_relative, "The corners are relative to the input's extents.")
      .group([](auto& description) { add_resample_arguments(description); })
      .outputs("The resized tensor. All axes that change lie within three neighbours.")
      .matches("DALI tensor_resize")
      .build();
}

}  // namespace forebay::operators
