// clahe: histograms levelled out tile by tile.
#include "forebay/kernels/image/clahe.h"

#include "forebay/operators/describe.h"
#include "forebay/operators/layout/frames.h"
#include "forebay/operators/layout/image_layout.h"

namespace forebay::operators {
namespace {

struct Clahe {
  int64_t tiles_x = 8;
  int64_t tiles_y = 8;
  float clip_limit = 2;
  bool luma_only = true;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout, image_layout(sample.input(0), {"HWC", "FHWC"}));
    FOREBAY_ASSIGN_OR_RETURN(const Frames frames, Frames::of(sample, layout));
    const kernels::ClaheOptions options{tiles_x, tiles_y, clip_limit, luma_only};
    return for_each_frame(sample, frames, frames.spec(),
                          [&](const TensorView& in, int64_t, const MutableTensorView& out) {
                            return kernels::clahe(in, options, out);
                          });
  }
};

}  // namespace

OperatorSpec clahe() {
  return describe<Clahe>("clahe", "Levels histograms out, tile by tile, with a limit on the contrast.")
      .input("data", "Images or sequences, HWC, UINT8, of one channel or of red, green and blue.")
      .param("tiles_x", &Clahe::tiles_x, "Number of tiles along the width.")
      .required()
      .param("tiles_y", &Clahe::tiles_y, "Number of tiles along the height.")
      .required()
      .param("clip_limit", &Clahe::clip_limit,
             "The largest count of a level, as a multiple of the mean; 0: none.")
      .required()
      .param(
          "luma_only", &Clahe::luma_only,
          "Of three channels, levels the lightness out and keeps the colours; False: each channel by itself.")
      .ignored("bins", int64_t{256}, "Accepted for compatibility; there are as many bins as levels.")
      .outputs("The image. That of colours is equal on all targets but for the C library's powers and roots.")
      .matches("DALI clahe")
      .close()
      .build();
}

}  // namespace forebay::operators
