// filter: correlation with a filter that is an input.
#include "forebay/kernels/filters/correlate.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/filters/filtered_blocks.h"

namespace forebay::operators {
namespace {

struct Filter {
  Arg<std::vector<int64_t>> anchor = std::vector<int64_t>{-1};
  std::string border = "reflect_101";
  std::string mode = "same";
  std::optional<DType> dtype;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats weights, FrameFloats::of_tensor(sample.input(1)));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats fills, fills_of(sample));
    FOREBAY_ASSIGN_OR_RETURN(const FrameIntegers anchors, FrameIntegers::of(sample, anchor));
    FOREBAY_ASSIGN_OR_RETURN(const Frames frames,
                             Frames::of(sample, sample.input(0).layout(), weights, fills, anchors));
    FOREBAY_ASSIGN_OR_RETURN(const FilteredBlocks blocks, filtered_blocks(frames.spec()));
    FOREBAY_ASSIGN_OR_RETURN(const Shape extents, filter_extents(sample.input(1), weights, blocks.count));
    TensorSpec frame_out = frames.spec();
    FOREBAY_ASSIGN_OR_RETURN(frame_out.dtype, filtered_type(frames.spec(), dtype));
    std::vector<int64_t> out_extents;
    for (int axis = 0; axis < blocks.count; ++axis) {
      out_extents.push_back(blocks.shape[axis] - (mode == "valid" ? extents[axis] - 1 : 0));
      frame_out.shape[blocks.first + axis] = out_extents.back();
      if (out_extents.back() < 0) {
        return invalid_argument("a filter of {} over {} with mode=\"valid\"", extents.to_string(),
                                frames.spec().to_string());
      }
    }
    const FilteredBlocks out_blocks = blocks.with_extents(out_extents);
    return for_each_frame(sample, frames, frame_out,
                          [&](const TensorView& in, int64_t frame, const MutableTensorView& out) -> Status {
                            kernels::CorrelateOptions options;
                            FOREBAY_RETURN_IF_ERROR(set_anchor(anchors.at(frame), extents, options));
                            options.border = border_of(border);
                            options.fill = fills.size() == 0 ? 0.0f : fills.number(frame);
                            options.is_valid_only = mode == "valid";
                            const TensorView filter{weights.at(frame).data(), {extents, DType::kFloat, {}}};
                            return for_each_block(in, blocks, out, out_blocks,
                                                  [&](const TensorView& from, const MutableTensorView& to) {
                                                    return kernels::correlate(from, filter, options, to);
                                                  });
                          });
  }

 private:
  static Result<FrameFloats> fills_of(const Sample& sample) {
    if (sample.num_inputs() < 3) {
      static const Arg<std::vector<float>> kNone;
      return FrameFloats::of(sample, kNone);
    }
    FOREBAY_ASSIGN_OR_RETURN(FrameFloats fills, FrameFloats::of_tensor(sample.input(2)));
    if (fills.size() != 1 && fills.frames() != 0) {
      return invalid_argument("fill_value is one number, not {}", sample.input(2).spec().to_string());
    }
    return fills;
  }

  static Result<Shape> filter_extents(const Tensor& filter, const FrameFloats& weights, int count) {
    const int first = weights.is_per_frame() ? 1 : 0;
    if (count < 2 || filter.shape().rank() - first != count || filter.volume() == 0) {
      return invalid_argument(
          "a filter of {} over {} axes; images need one of two axes and volumes one of three, "
          "none of them empty, behind F where it changes from frame to frame",
          filter.spec().to_string(), count);
    }
    Shape extents;
    for (int axis = 0; axis < count; ++axis) {
      extents.push_back(filter.shape()[first + axis]);
    }
    return extents;
  }

  static Status set_anchor(std::span<const int64_t> given, const Shape& extents,
                           kernels::CorrelateOptions& options) {
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> anchors,
                             number_an_axis("anchor", given, extents.rank()));
    for (int axis = 0; axis < extents.rank(); ++axis) {
      const int64_t at = anchors[static_cast<size_t>(axis)];
      if (at < -1 || at >= extents[axis]) {
        return invalid_argument("the anchor {} of axis {} lies outside of a filter of {}", at, axis,
                                extents.to_string());
      }
      options.anchor[static_cast<size_t>(axis)] = at < 0 ? extents[axis] / 2 : at;
    }
    return ok_status();
  }
};

}  // namespace

OperatorSpec filter() {
  return describe<Filter>("filter", "Correlates images and volumes with a filter.")
      .input("data", "Images, volumes or sequences, in any layout.")
      .input("filter", "The weights: two axes for images, three for volumes; may change by frames.")
      .optional_input("fill_value", "What lies outside for border=\"constant\": one number; 0 without it.")
      .param("anchor", &Filter::anchor,
             "The place in the filter that lies over the pixel that is made, one number an axis; -1: its "
             "middle. Does not matter for mode=\"valid\".")
      .param("border", &Filter::border,
             "What lies outside: reflections without or with the outermost pixel, the other end, the "
             "outermost pixel, or fill_value.")
      .choices({"reflect_101", "reflect_1001", "wrap", "clamp", "constant"})
      .param("mode", &Filter::mode,
             "`valid`: only where the whole filter lies on the data, so that the output is smaller.")
      .choices({"same", "valid"})
      .param("dtype", &Filter::dtype, "Type of the output: the input's, which is the default, or FLOAT.")
      .outputs(
          "The sums of products, computed as FLOAT; integers are rounded, halves to even, and saturated.")
      .matches("DALI filter")
      .build();
}

}  // namespace forebay::operators
