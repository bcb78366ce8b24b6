// tensor_resize: resampling along any axes of any tensor.
#include <algorithm>
#include <array>
#include <cmath>

#include "forebay/operators/describe.h"
#include "forebay/operators/layout/axes.h"
#include "forebay/operators/resampling/folded_plan.h"
#include "forebay/operators/resampling/resample_arguments.h"
#include "forebay/operators/resampling/run_plan.h"

namespace forebay::operators {
namespace {

/// A number an axis, and what becomes of each axis; in the order of the shape.
using AxisNumbers = std::array<float, tensor::kMaxRank>;
using ResizedAxes = std::array<ResizedAxis, tensor::kMaxRank>;

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
    FOREBAY_ASSIGN_OR_RETURN(const ResizedAxes resized, resized_axes(sample));
    FOREBAY_ASSIGN_OR_RETURN(
        ResizePlan plan,
        folded_plan(in.shape(), std::span(resized).first(static_cast<size_t>(in.shape().rank()))));
    const TensorSpec folded = folded_spec(in.spec(), plan);
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
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats values, argument.values(sample));
    return spread(name, values.span(), chosen, to);
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
  Result<ResizedAxes> resized_axes(const Sample& sample) const {
    const Shape& shape = sample.input(0).shape();
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<int> chosen, chosen_axes(sample.input(0)));
    FOREBAY_ASSIGN_OR_RETURN(AxisNumbers wanted, wanted_extents(sample, chosen));
    AxisNumbers alignments;
    alignments.fill(0.5F);
    FOREBAY_RETURN_IF_ERROR(spread("alignment", sample, alignment, chosen, alignments));
    FOREBAY_ASSIGN_OR_RETURN(ResizedAxes resized, regions(sample, chosen));
    AxisNumbers limits;
    limits.fill(HUGE_VALF);
    if (!max_size.empty()) {
      FOREBAY_RETURN_IF_ERROR(spread("max_size", max_size, chosen, limits));
      std::ranges::transform(limits, limits.begin(), limit_of);
    }
    AxisNumbers shown{};
    std::ranges::transform(resized, shown.begin(),
                           [](const ResizedAxis& axis) { return std::fabs(axis.hi - axis.lo); });
    const auto rank = static_cast<size_t>(shape.rank());
    adjust_sizes(size_mode_of(mode), std::span(shown).first(rank), std::span(limits).first(rank),
                 std::span(wanted).first(rank));
    for (size_t i = 0; i < rank; ++i) {
      FOREBAY_RETURN_IF_ERROR(
          set_output(static_cast<int>(i), wanted[i], subpixel_scale, rounding_of(alignments[i]), resized[i]));
    }
    return resized;
  }

  /// As `sizes` or `scales` say; 0: not given.
  Result<AxisNumbers> wanted_extents(const Sample& sample, std::span<const int> chosen) const {
    const Shape& shape = sample.input(0).shape();
    AxisNumbers wanted{};
    for (int axis = 0; axis < shape.rank(); ++axis) {
      wanted[axis] = scales.is_given() ? 1.0F : static_cast<float>(shape[axis]);
    }
    FOREBAY_RETURN_IF_ERROR(scales.is_given() ? spread("scales", sample, scales, chosen, wanted)
                                              : spread("sizes", sample, sizes, chosen, wanted));
    for (int axis = 0; axis < shape.rank() && scales.is_given(); ++axis) {
      wanted[axis] *= static_cast<float>(shape[axis]);
    }
    return wanted;
  }

  /// Which part of each axis is shown.
  Result<ResizedAxes> regions(const Sample& sample, std::span<const int> chosen) const {
    const Shape& shape = sample.input(0).shape();
    const auto unit = [&](int axis) { return roi_relative ? static_cast<float>(shape[axis]) : 1.0F; };
    AxisNumbers low{};
    AxisNumbers high{};
    for (int axis = 0; axis < shape.rank(); ++axis) {
      high[axis] = roi_relative ? 1.0F : static_cast<float>(shape[axis]);
    }
    if (roi_start.is_given()) {
      FOREBAY_RETURN_IF_ERROR(spread("roi_start", sample, roi_start, chosen, low));
      FOREBAY_RETURN_IF_ERROR(spread("roi_end", sample, roi_end, chosen, high));
    }
    ResizedAxes resized{};
    for (int axis = 0; axis < shape.rank(); ++axis) {
      resized[axis].in_size = shape[axis];
      FOREBAY_RETURN_IF_ERROR(set_region(low[axis], high[axis], unit(axis), resized[axis]));
    }
    return resized;
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
