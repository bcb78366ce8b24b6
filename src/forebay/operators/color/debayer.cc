// debayer: colours from a Bayer mosaic.
#include "forebay/kernels/image/debayer.h"

#include "forebay/operators/describe.h"
#include "forebay/operators/layout/frames.h"
#include "forebay/operators/layout/image_layout.h"

namespace forebay::operators {
namespace {

kernels::DebayerMethod method_of(std::string_view algorithm) {
  if (algorithm == "edgeaware_ocv") {
    return kernels::DebayerMethod::kEdgeAware;
  }
  if (algorithm == "vng_ocv") {
    return kernels::DebayerMethod::kGradients;
  }
  return algorithm == "gray_ocv" ? kernels::DebayerMethod::kGray : kernels::DebayerMethod::kBilinear;
}

struct Debayer {
  Arg<std::vector<int64_t>> blue_position;
  std::string algorithm = "default";

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout,
                             image_layout(sample.input(0), {"HW", "HWC", "FHW", "FHWC"}));
    FOREBAY_ASSIGN_OR_RETURN(const FrameIntegers positions, FrameIntegers::of(sample, blue_position));
    FOREBAY_ASSIGN_OR_RETURN(const Frames frames, Frames::of(sample, layout, positions));
    const Shape& mosaic = frames.spec().shape;
    if ((mosaic.rank() == 3 && mosaic[2] != 1) || (positions.size() != 2 && frames.count() > 0)) {
      return invalid_argument("a mosaic has one channel and blue_position two numbers, not {} and {}",
                              frames.spec().to_string(), positions.size());
    }
    const kernels::DebayerMethod method = method_of(algorithm);
    const int64_t channels = method == kernels::DebayerMethod::kGray ? 1 : 3;
    const TensorSpec frame_out{{mosaic[0], mosaic[1], channels}, frames.spec().dtype, "HWC"};
    return for_each_frame(sample, frames, frame_out,
                          [&](const TensorView& in, int64_t frame, const MutableTensorView& out) -> Status {
                            const std::span<const int64_t> blue = positions.at(frame);
                            if (std::min(blue[0], blue[1]) < 0 || std::max(blue[0], blue[1]) > 1) {
                              return invalid_argument("blue_position is ({}, {}); each is 0 or 1", blue[0],
                                                      blue[1]);
                            }
                            const TensorView plane{in.data, {{mosaic[0], mosaic[1]}, in.dtype(), {}}};
                            // Positions count from the second row and column.
                            return kernels::debayer(plane, method, static_cast<int>(1 - blue[0]),
                                                    static_cast<int>(1 - blue[1]), out);
                          });
  }
};

}  // namespace

OperatorSpec debayer() {
  return describe<Debayer>("debayer", "Makes colours of a Bayer mosaic.")
      .input("data", "Mosaics of one channel, or sequences of them, UINT8 or UINT16.")
      .param(
          "blue_position", &Debayer::blue_position,
          "Row and column of blue in the tile of two by two pixels that begins in the second row and column "
          "of the sensor; may change by frames.")
      .required()
      .param("algorithm", &Debayer::algorithm,
             "How colours are made that a pixel did not measure: means of the neighbours, along edges, by a "
             "variable number of gradients (UINT8 alone), or as grey.")
      .choices({"default", "bilinear_ocv", "edgeaware_ocv", "vng_ocv", "gray_ocv"})
      .outputs("Images HWC of red, green and blue; of one channel for `gray_ocv`.")
      .matches("DALI debayer")
      .build();
}

}  // namespace forebay::operators
