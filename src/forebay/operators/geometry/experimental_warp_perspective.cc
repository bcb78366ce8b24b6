// experimental.warp_perspective: images through a perspective map.
#include <optional>

#include "forebay/kernels/image/map_rows.h"
#include "forebay/operators/filters/filtered_blocks.h"
#include "forebay/operators/geometry/remap_arguments.h"
#include "forebay/operators/geometry/warp_arguments.h"
#include "forebay/operators/layout/image_layout.h"

namespace forebay::operators {
namespace {

using Homography = kernels::Matrix3<double>;

struct WarpPerspective {
  Arg<std::vector<float>> matrix;
  Arg<std::vector<float>> size;
  std::vector<float> fill_value;
  std::string border_mode = "constant";
  InterpType interp_type = InterpType::kLinear;
  bool inverse_map = true;
  std::string pixel_origin = "corner";

  Status prepare(const Arguments& arguments) {
    if ((arguments.num_inputs > 1) == matrix.is_given()) {
      return invalid_argument("give the matrix either as input 1 or as `matrix`");
    }
    return set_remap_filter(interp_type, "interp_type", &filter_);
  }

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout,
                             image_layout(sample.input(0), {"HW", "HWC", "FHWC", "CHW", "FCHW"}));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats matrices, sample.num_inputs() > 1
                                                             ? FrameFloats::of_tensor(sample.input(1))
                                                             : FrameFloats::of(sample, matrix));
    FOREBAY_ASSIGN_OR_RETURN(const Frames frames, Frames::of(sample, layout, matrices));
    if (matrices.size() != 9 && frames.count() > 0) {
      return invalid_argument("a perspective map has nine numbers, row by row; {} are given",
                              matrices.size());
    }
    FOREBAY_ASSIGN_OR_RETURN(const FilteredBlocks blocks, filtered_blocks(frames.spec()));
    FOREBAY_ASSIGN_OR_RETURN(const auto given, WarpArguments::extents_given(sample, size, 2));
    Extents out_size{blocks.shape[0], blocks.shape[1]};
    TensorSpec frame_out = frames.spec();
    for (size_t axis = 0; axis < 2; ++axis) {
      out_size[axis] = given ? std::max<int64_t>((*given)[axis], 1) : out_size[axis];
      frame_out.shape[blocks.first + static_cast<int>(axis)] = out_size[axis];
    }
    const FilteredBlocks out_blocks = blocks.with_extents(out_size);
    return for_each_frame(sample, frames, frame_out,
                          [&](const TensorView& in, int64_t frame, const MutableTensorView& out) -> Status {
                            const kernels::FillValues fill(fill_value);
                            const int channel_axis = in.spec.layout.find('C');
                            FOREBAY_RETURN_IF_ERROR(fill.check("fill_value", in.spec, channel_axis));
                            FOREBAY_ASSIGN_OR_RETURN(const Homography map, map_of(matrices.at(frame)));
                            int64_t block = 0;  // a channel, where these come first
                            return for_each_block(
                                in, blocks, out, out_blocks,
                                [&](const TensorView& from, const MutableTensorView& to) {
                                  return warp(from, map, channel_axis == 0 ? fill.of(block++) : fill, to);
                                });
                          });
  }

 private:
  /// From the centres of the output's pixels to those of the input's.
  Result<Homography> map_of(std::span<const float> values) const {
    Homography map{};
    for (size_t i = 0; i < 9; ++i) {
      map[i / 3][i % 3] = values[i];
    }
    if (pixel_origin == "corner") {
      constexpr Homography kToCorner{{{1, 0, 0.5}, {0, 1, 0.5}, {0, 0, 1}}};
      constexpr Homography kToCenter{{{1, 0, -0.5}, {0, 1, -0.5}, {0, 0, 1}}};
      map = kernels::product(kToCenter, kernels::product(map, kToCorner));
    }
    if (inverse_map) {
      return map;
    }
    const std::optional<Homography> inverse = kernels::inverse_of(map);
    return inverse ? Result<Homography>(*inverse)
                   : invalid_argument("the perspective map cannot be inverted");
  }

  Status warp(const TensorView& in, const Homography& map, const kernels::FillValues& fill,
              const MutableTensorView& out) const {
    const kernels::RemapOptions options{filter_, border_of(border_mode), fill};
    const auto row = [&](int64_t y, std::span<float> xs, std::span<float> ys) {
      kernels::perspective_row(map, y, xs, ys);
    };
    return kernels::remap(in, options, row, out);
  }

  kernels::RemapFilter filter_ = kernels::RemapFilter::kLinear;
};

}  // namespace

OperatorSpec experimental_warp_perspective() {
  return describe<WarpPerspective>("experimental.warp_perspective",
                                   "Samples images through a perspective map.")
      .input("data", "Images or sequences, in any layout, of UINT8, UINT16, INT16, INT32 or FLOAT.")
      .optional_input("matrix_input",
                      "The matrix, instead of `matrix`. Places that it makes NaN lie outside.")
      .param(
          "matrix", &WarpPerspective::matrix,
          "Three rows of three numbers. It takes coordinates (x, y, 1) of the output to multiples of those "
          "of the input. May change by frames.")
      .param("size", &WarpPerspective::size, "Height and width of the output; those of the input without it.")
      .param("fill_value", &WarpPerspective::fill_value,
             "What lies outside for border_mode=\"constant\": one number, or one a channel; 0 without it.")
      .any_number()
      .param("border_mode", &WarpPerspective::border_mode,
             "What lies outside: fill_value, the outermost pixel, reflections with or without it, or the "
             "other end.")
      .choices(border_modes())
      .param("interp_type", &WarpPerspective::interp_type, "INTERP_NN, INTERP_LINEAR or INTERP_CUBIC.")
      .param("inverse_map", &WarpPerspective::inverse_map,
             "False: the matrix takes input coordinates to those of the output.")
      .group(add_pixel_origin<WarpPerspective>)
      .outputs("The sampled image.")
      .matches("DALI experimental.warp_perspective")
      .build();
}

}  // namespace forebay::operators
