// experimental.median_blur: the median of the pixels around each.
#include "forebay/kernels/filters/median.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/filters/filtered_blocks.h"
#include "forebay/operators/layout/image_layout.h"

namespace forebay::operators {
namespace {

constexpr int64_t kLargestMedianSide = 9999;

struct MedianBlur {
  Arg<std::vector<int64_t>> window_size = std::vector<int64_t>{3, 3};

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout,
                             image_layout(sample.input(0), {"HW", "HWC", "FHWC", "CHW", "FCHW"}));
    FOREBAY_ASSIGN_OR_RETURN(const FrameIntegers sizes, FrameIntegers::of(sample, window_size));
    FOREBAY_ASSIGN_OR_RETURN(const Frames frames, Frames::of(sample, layout, sizes));
    FOREBAY_ASSIGN_OR_RETURN(const FilteredBlocks blocks, filtered_blocks(frames.spec()));
    return for_each_frame(sample, frames, frames.spec(),
                          [&](const TensorView& in, int64_t frame, const MutableTensorView& out) -> Status {
                            FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> sides,
                                                     number_an_axis("window_size", sizes.at(frame), 2));
                            if (std::max(sides[0], sides[1]) > kLargestMedianSide) {
                              return invalid_argument("a window of {} x {}; its sides are at most {}",
                                                      sides[0], sides[1], kLargestMedianSide);
                            }
                            return for_each_block(in, blocks, out, blocks,
                                                  [&](const TensorView& from, const MutableTensorView& to) {
                                                    return kernels::median(from, sides[0], sides[1], to);
                                                  });
                          });
  }
};

}  // namespace

OperatorSpec experimental_median_blur() {
  return describe<MedianBlur>("experimental.median_blur", "Replaces each pixel by the median around it.")
      .input("data", "Images or sequences, of UINT8, UINT16, INT16 or FLOAT; each channel by itself.")
      .param("window_size", &MedianBlur::window_size, "Width and height of the window, odd.")
      .outputs("The medians; outside, the outermost pixels repeat.")
      .matches("OpenCV medianBlur, also for windows that it does not take; DALI experimental.median_blur")
      .build();
}

}  // namespace forebay::operators
