// transforms.scale: the matrix of a scaling about a point.
#include "forebay/operators/transforms/transform.h"

namespace forebay::operators {
namespace {

struct Scaling : Transform {
  Arg<std::vector<float>> scale;
  Arg<std::vector<float>> center;
  std::optional<int64_t> ndim;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats factors, FrameFloats::of(sample, scale));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats centers, FrameFloats::of(sample, center));
    FOREBAY_ASSIGN_OR_RETURN(const int given, input_dimensions(sample));
    const int64_t wanted = factors.size() != 1 ? factors.size() : ndim.value_or(std::max(given, 1));
    if (wanted < 1 || wanted > AffineMatrix::kMaxDimensions) {
      return invalid_argument("a scaling of {} dimensions; there can be 1 to {}", wanted,
                              AffineMatrix::kMaxDimensions);
    }
    FOREBAY_RETURN_IF_ERROR(check_size("center", centers, wanted, true, true));
    const int dimensions = static_cast<int>(wanted);
    return put(sample, dimensions, {&factors, &centers}, [&](int64_t frame) {
      AffineMatrix matrix(dimensions);
      for (int i = 0; i < dimensions; ++i) {
        matrix.at(i, i) = component(factors.at(frame), i);
      }
      matrix.keep(centers.at(frame));
      return matrix;
    });
  }
};

}  // namespace

OperatorSpec transforms_scale() {
  return describe<Scaling>("transforms.scale", "The matrix of a scaling.")
      .group(add_transform_input<Scaling>)
      .param("scale", &Scaling::scale,
             "The factor along each axis; one number holds for all. May change by frames.")
      .required()
      .param("center", &Scaling::center, "The point that stays; the origin without it. May change by frames.")
      .param("ndim", &Scaling::ndim, "The number of dimensions if `scale` is one number.")
      .matches("DALI transforms.scale")
      .build();
}

}  // namespace forebay::operators
