// warp_affine: maps images and volumes through an affine map.
#include "forebay/operators/geometry/warp_arguments.h"

namespace forebay::operators {
namespace {

using kernels::AffineMatrix;

struct WarpAffine : WarpArguments {
  Arg<std::vector<float>> matrix;
  bool inverse_map = true;

  Status prepare(const Arguments& arguments) {
    const bool has_matrix_input = arguments.num_inputs > 1;
    if (has_matrix_input == matrix.is_given()) {
      return invalid_argument("give the matrix either as input 1 or as `matrix`");
    }
    return check();
  }

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout, layout_of(sample));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats matrices, sample.num_inputs() > 1
                                                             ? FrameFloats::of_tensor(sample.input(1))
                                                             : FrameFloats::of(sample, matrix));
    FOREBAY_ASSIGN_OR_RETURN(const Frames frames, Frames::of(sample, layout, matrices));
    const Extents in_size = extents_of(frames);
    const int dimensions = static_cast<int>(in_size.size());
    FOREBAY_ASSIGN_OR_RETURN(const auto given, given_size(sample, dimensions));
    return warp(sample, frames, given.value_or(in_size), [&](int64_t frame) -> Result<AffineMatrix> {
      FOREBAY_ASSIGN_OR_RETURN(const AffineMatrix map, map_of(matrices.at(frame), dimensions));
      return inverse_map ? map : map.inverted();
    });
  }

 private:
  static Result<AffineMatrix> map_of(std::span<const float> values, int dimensions) {
    const int columns = dimensions + 1;
    if (static_cast<int>(values.size()) != dimensions * columns) {
      return invalid_argument("a matrix for {} dimensions has {} elements, row by row; {} are given",
                              dimensions, dimensions * columns, values.size());
    }
    return AffineMatrix::of_rows(dimensions, values);
  }
};

}  // namespace

OperatorSpec warp_affine() {
  return describe<WarpAffine>("warp_affine", "Samples images or volumes through an affine map.")
      .input("data", "Images or volumes with the channels last, or sequences of them.")
      .optional_input("matrix_input",
                      "The matrix, instead of `matrix`. Places that it makes NaN lie outside.")
      .param("matrix", &WarpAffine::matrix,
             "Two rows of three numbers, or three of four for volumes. It takes coordinates x, y(, z) of the "
             "output, in "
             "pixels whose centres lie at one half, to those of the input.")
      .param("inverse_map", &WarpAffine::inverse_map,
             "False: the matrix takes input coordinates to those of the output.")
      .group(add_warp_arguments<WarpAffine>)
      .outputs("The sampled image, of the extents of the input without `size`.")
      .matches("DALI warp_affine")
      .build();
}

}  // namespace forebay::operators
