// experimental.remap: pixels taken from where two maps say.
#include "forebay/kernels/image/remap.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/geometry/remap_arguments.h"
#include "forebay/operators/layout/frames.h"
#include "forebay/operators/layout/image_layout.h"

namespace forebay::operators {
namespace {

struct Remap {
  InterpType interp = InterpType::kLinear;
  std::string pixel_origin = "corner";

  Status prepare(const Arguments&) { return set_remap_filter(interp, "interp", &filter_); }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout, image_layout(in, {"HWC", "FHWC"}));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats map_x, FrameFloats::of_tensor(sample.input(1)));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats map_y, FrameFloats::of_tensor(sample.input(2)));
    FOREBAY_ASSIGN_OR_RETURN(const Frames frames, Frames::of(sample, layout, map_x, map_y));
    FOREBAY_ASSIGN_OR_RETURN(const Shape size, size_of_map(sample.input(1), map_x));
    FOREBAY_ASSIGN_OR_RETURN(const Shape other, size_of_map(sample.input(2), map_y));
    if (!(size == other)) {
      return invalid_argument("the maps have the shapes {} and {}; they are alike",
                              sample.input(1).shape().to_string(), sample.input(2).shape().to_string());
    }
    TensorSpec frame_out = frames.spec();
    frame_out.shape = {size[0], size[1], in.shape().back()};
    kernels::RemapOptions options;
    options.filter = filter_;
    const float shift = pixel_origin == "corner" ? 0.5f : 0.0f;
    return for_each_frame(sample, frames, frame_out,
                          [&](const TensorView& from, int64_t frame, const MutableTensorView& to) {
                            const auto row = [&](int64_t y, std::span<float> xs, std::span<float> ys) {
                              const auto start = static_cast<size_t>(y) * xs.size();
                              for (size_t x = 0; x < xs.size(); ++x) {
                                xs[x] = map_x.at(frame)[start + x] - shift;
                                ys[x] = map_y.at(frame)[start + x] - shift;
                              }
                            };
                            return kernels::remap(from, options, row, to);
                          });
  }

 private:
  static Result<Shape> size_of_map(const Tensor& map, const FrameFloats& values) {
    const int first = values.is_per_frame() ? 1 : 0;
    if (map.shape().rank() != first + 2) {
      return invalid_argument("a map has two axes, behind F where it changes from frame to frame, not {}",
                              map.spec().to_string());
    }
    return Shape{map.shape()[first], map.shape()[first + 1]};
  }

  kernels::RemapFilter filter_ = kernels::RemapFilter::kLinear;
};

}  // namespace

OperatorSpec experimental_remap() {
  return describe<Remap>("experimental.remap", "Takes each pixel from the place that two maps give.")
      .input("data", "Images or sequences, HWC, of UINT8, UINT16, INT16, INT32 or FLOAT.")
      .input(
          "mapx",
          "Of each pixel of the output, the x coordinate in the input, NaN for none; may change by frames.")
      .input("mapy", "Of each pixel of the output, the y coordinate in the input.")
      .param("interp", &Remap::interp, "INTERP_NN, INTERP_LINEAR or INTERP_CUBIC.")
      .group(add_pixel_origin<Remap>)
      .outputs("The image in the shape of the maps; what lies outside of the input is 0.")
      .matches("OpenCV remap; DALI experimental.remap")
      .build();
}

}  // namespace forebay::operators
