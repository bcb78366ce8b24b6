// paste: an image on a larger canvas.
#include <algorithm>
#include <array>

#include "forebay/kernels/generic/fill.h"
#include "forebay/kernels/generic/strided.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/image_layout.h"

namespace forebay::operators {
namespace {

constexpr float kLongestCanvas = 1e9f;

struct Paste {
  std::vector<int64_t> fill_value;
  Arg<float> ratio;
  Arg<float> paste_x = 0.5f;
  Arg<float> paste_y = 0.5f;
  Arg<float> min_canvas_size = 0.0f;
  int64_t n_channels = 3;

  Status prepare(const Arguments& arguments) {
    has_channels_ = arguments.constants.contains("n_channels");
    if (fill_value.empty()) {
      return invalid_argument("fill_value has no values; give one, or one per channel");
    }
    colour_.assign(fill_value.begin(), fill_value.end());
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout, image_layout(in, {"HWC"}));
    if (in.dtype() != DType::kUint8) {
      return invalid_argument("images are pasted as UINT8, not as {}", in.spec().to_string());
    }
    TensorSpec spec{in.shape(), in.dtype(), layout};
    std::array<int64_t, 2> place{};
    FOREBAY_RETURN_IF_ERROR(place_axis(sample, paste_y, in.shape()[0], &spec.shape[0], &place[0]));
    FOREBAY_RETURN_IF_ERROR(place_axis(sample, paste_x, in.shape()[1], &spec.shape[1], &place[1]));
    if (!spec.shape.checked_volume()) {
      return invalid_argument("no image can have the shape {}", spec.shape.to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    FOREBAY_RETURN_IF_ERROR(fill(out));
    const kernels::Strides from = kernels::dense_strides(in.shape());
    const kernels::Strides to = kernels::dense_strides(spec.shape);
    kernels::copy_strided(in.shape(), 1, in.data(), from,
                          out.as<uint8_t>() + place[0] * to[0] + place[1] * to[1], to);
    return ok_status();
  }

 private:
  /// The extent of the canvas, and where on it the image begins.
  Status place_axis(const Sample& sample, const Arg<float>& part, int64_t extent, int64_t* canvas,
                    int64_t* start) const {
    FOREBAY_ASSIGN_OR_RETURN(const float scale, ratio.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const float least, min_canvas_size.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const float at, part.get(sample));
    const float length = std::max(scale * static_cast<float>(extent), least);
    if (!(scale >= 1) || !(at >= 0 && at <= 1) || !(length < kLongestCanvas)) {
      return invalid_argument(
          "ratio {} with min_canvas_size {} and a place of {}: ratios are at least 1, places from 0 to 1",
          scale, least, at);
    }
    *canvas = std::max(extent, static_cast<int64_t>(length));
    *start = static_cast<int64_t>(at * static_cast<float>(*canvas - extent));
    return ok_status();
  }

  Status fill(const MutableTensorView& out) const {
    const int64_t channels = out.shape()[2];
    if (has_channels_ && n_channels != channels) {
      return invalid_argument("n_channels is {}, and the image has {}", n_channels, channels);
    }
    const kernels::FillValues colour(colour_);
    FOREBAY_RETURN_IF_ERROR(colour.check("fill_value", out.spec, 2));
    if (out.volume() == 0) {
      return ok_status();
    }
    const int64_t row = out.shape()[1] * channels;
    kernels::fill_box(out, {0, 0, 0}, {1, out.shape()[1], channels}, colour, 2);
    uint8_t* const first = out.as<uint8_t>();
    for (int64_t at = row; at < out.volume(); at += row) {
      std::copy_n(first, row, first + at);  // copy: a row of the canvas
    }
    return ok_status();
  }

  bool has_channels_ = false;
  std::vector<float> colour_;  // fill_value
};

}  // namespace

OperatorSpec paste() {
  return describe<Paste>("paste", "Places images on a larger canvas.")
      .input("data", "Images, HWC, UINT8.")
      .param("ratio", &Paste::ratio, "How many times as long as the image the canvas is; at least 1.")
      .required()
      .param("fill_value", &Paste::fill_value,
             "The colour of the canvas: one number, or one for each channel.")
      .required()
      .param("paste_x", &Paste::paste_x, "Where the image is: 0 at the left edge, 1 at the right.")
      .param("paste_y", &Paste::paste_y, "Where the image is: 0 at the top, 1 at the bottom.")
      .param("min_canvas_size", &Paste::min_canvas_size, "The least extent of the canvas.")
      .param("n_channels", &Paste::n_channels, "How many channels the images have, if it is given.")
      .outputs("The canvas.")
      .matches("DALI paste")
      .build();
}

}  // namespace forebay::operators
