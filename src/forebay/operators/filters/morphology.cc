#include "forebay/operators/filters/morphology.h"

#include "forebay/operators/layout/image_layout.h"

namespace forebay::operators {
namespace {

constexpr int64_t kLargestMask = 1 << 20;

/// The rectangle that does at once what `iterations` of `sides` do.
Result<kernels::MorphologyOptions> rectangle_of(std::span<const int64_t> sides,
                                                std::span<const int64_t> anchors, int64_t iterations) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> size, number_an_axis("mask_size", sides, 2));
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> anchor, number_an_axis("anchor", anchors, 2));
  kernels::MorphologyOptions options;
  for (size_t i = 0; i < 2; ++i) {
    if (size[i] < 1 || anchor[i] < -1 || anchor[i] >= size[i] ||
        (size[i] - 1) > kLargestMask / std::max<int64_t>(iterations, 1)) {
      return invalid_argument(
          "a rectangle of {} x {} with anchor ({}, {}), {} times: sides are positive, the anchor lies "
          "within, "
          "and the whole reaches over at most {} pixels",
          size[0], size[1], anchor[0], anchor[1], iterations, kLargestMask);
    }
    (i == 0 ? options.width : options.height) = 1 + iterations * (size[i] - 1);
    (i == 0 ? options.anchor_x : options.anchor_y) = iterations * (anchor[i] < 0 ? size[i] / 2 : anchor[i]);
  }
  return options;
}

}  // namespace

Status MorphologyArguments::prepare(const Arguments&) const {
  if (iterations < 0) {
    return invalid_argument("iterations is {}; it cannot be negative", iterations);
  }
  return ok_status();
}

Status MorphologyArguments::run_morphology(Sample& sample, bool is_dilation) const {
  FOREBAY_ASSIGN_OR_RETURN(const Layout layout,
                           image_layout(sample.input(0), {"HW", "HWC", "FHWC", "CHW", "FCHW"}));
  FOREBAY_ASSIGN_OR_RETURN(const FrameIntegers sizes, FrameIntegers::of(sample, mask_size));
  FOREBAY_ASSIGN_OR_RETURN(const FrameIntegers anchors, FrameIntegers::of(sample, anchor));
  FOREBAY_ASSIGN_OR_RETURN(const Frames frames, Frames::of(sample, layout, sizes, anchors));
  FOREBAY_ASSIGN_OR_RETURN(const FilteredBlocks blocks, filtered_blocks(frames.spec()));
  return for_each_frame(sample, frames, frames.spec(),
                        [&](const TensorView& in, int64_t frame, const MutableTensorView& out) -> Status {
                          FOREBAY_ASSIGN_OR_RETURN(
                              kernels::MorphologyOptions options,
                              rectangle_of(sizes.at(frame), anchors.at(frame), iterations));
                          options.is_dilation = is_dilation;
                          options.border = border_of(border_mode);
                          return for_each_block(in, blocks, out, blocks,
                                                [&](const TensorView& from, const MutableTensorView& to) {
                                                  return kernels::morphology(from, options, to);
                                                });
                        });
}

}  // namespace forebay::operators
