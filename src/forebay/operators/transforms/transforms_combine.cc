// transforms.combine: one transform after the other, as one.
#include "forebay/operators/transforms/transform.h"

namespace forebay::operators {
namespace {

struct CombinedTransform {
  bool reverse_order = false;

  Status run(Sample& sample) const {
    std::vector<TransformInput> parts;
    int64_t frames = 1;
    bool is_sequence = false;
    for (const Tensor& tensor : sample.inputs()) {
      FOREBAY_ASSIGN_OR_RETURN(TransformInput part, transform_input(tensor));
      parts.push_back(std::move(part));
      FOREBAY_RETURN_IF_ERROR(check_fits(parts.front(), parts.back(), frames));
      frames = frames == 1 ? parts.back().values.frames() : frames;
      is_sequence = is_sequence || parts.back().values.is_per_frame();
    }
    const int dimensions = parts.front().dimensions;
    return put_transforms(sample, dimensions, frames, is_sequence, [&](int64_t frame) {
      AffineMatrix all(dimensions);
      for (const TransformInput& part : parts) {
        const AffineMatrix one = AffineMatrix::of_rows(dimensions, part.values.at(frame));
        all = reverse_order ? AffineMatrix::composed(all, one) : AffineMatrix::composed(one, all);
      }
      return all;
    });
  }

 private:
  static Status check_fits(const TransformInput& first, const TransformInput& part, int64_t frames) {
    if (part.dimensions != first.dimensions) {
      return invalid_argument("transforms of {} and {} dimensions cannot be combined", first.dimensions,
                              part.dimensions);
    }
    if (frames != 1 && part.values.frames() != 1 && part.values.frames() != frames) {
      return invalid_argument("sequences of {} and {} transforms cannot be combined", frames,
                              part.values.frames());
    }
    return ok_status();
  }
};

}  // namespace

OperatorSpec transforms_combine() {
  return describe<CombinedTransform>("transforms.combine", "One transform after the other, as one.")
      .variadic_inputs("transforms",
                       "Transforms of equal dimensions, n x (n + 1) floats or sequences of such.", 2, 99)
      .param("reverse_order", &CombinedTransform::reverse_order,
             "False: the first input is applied first; True: the last.")
      .outputs("The matrix, in rows, of the layout `**`; with an axis F before it if an input has one.")
      .matches("DALI transforms.combine")
      .build();
}

}  // namespace forebay::operators
