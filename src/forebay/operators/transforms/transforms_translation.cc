// transforms.translation: the matrix of a shift.
#include "forebay/operators/transforms/transform.h"

namespace forebay::operators {
namespace {

struct Translation : Transform {
  Arg<std::vector<float>> offset;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats offsets, FrameFloats::of(sample, offset));
    if (offsets.size() < 1 || offsets.size() > AffineMatrix::kMaxDimensions) {
      return invalid_argument("offset has {} numbers; give 1 to {}", offsets.size(),
                              AffineMatrix::kMaxDimensions);
    }
    const int dimensions = static_cast<int>(offsets.size());
    return put(sample, dimensions, {&offsets}, [&](int64_t frame) {
      AffineMatrix matrix(dimensions);
      for (int i = 0; i < dimensions; ++i) {
        matrix.at(i, dimensions) = offsets.at(frame)[static_cast<size_t>(i)];
      }
      return matrix;
    });
  }
};

}  // namespace

OperatorSpec transforms_translation() {
  return describe<Translation>("transforms.translation", "The matrix of a shift.")
      .group(add_transform_input<Translation>)
      .param("offset", &Translation::offset, "The shift along each axis; may change by frames.")
      .required()
      .matches("DALI transforms.translation")
      .build();
}

}  // namespace forebay::operators
