// segmentation.random_mask_pixel: a place in a mask, drawn from all or from those of the foreground.
#include "forebay/kernels/indexing/foreground.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct RandomMaskPixel {
  Arg<int64_t> foreground = 0;
  Arg<int64_t> value;
  Arg<float> threshold = 0.0f;

  Status prepare(const Arguments&) const {
    if (value.is_given() && threshold.is_given()) {
      return invalid_argument("`value` and `threshold` cannot be given together");
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& mask = sample.input(0);
    const int rank = mask.shape().rank();
    if (rank == 0 || mask.volume() == 0) {
      return invalid_argument("a mask of {} has no pixel to draw", mask.spec().to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const int64_t wants_foreground, foreground.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const int64_t number, value.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const float limit, threshold.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, {{rank}, DType::kInt64, {}}));
    RandomStream stream = sample.random();
    int64_t place = -1;
    if (wants_foreground != 0) {
      const kernels::Foreground drawn{value.is_given(), number, limit};
      if (const uint64_t count = kernels::count_foreground(mask.view(), drawn); count > 0) {
        place = kernels::foreground_place(mask.view(), drawn, stream.below(count));
      }
    }
    if (place < 0) {
      place = static_cast<int64_t>(stream.below(static_cast<uint64_t>(mask.volume())));
    }
    for (int axis = rank - 1; axis >= 0; --axis) {
      out.as<int64_t>()[axis] = place % mask.shape()[axis];
      place /= mask.shape()[axis];
    }
    return ok_status();
  }
};

}  // namespace

OperatorSpec segmentation_random_mask_pixel() {
  using Op = RandomMaskPixel;
  return describe<Op>("segmentation.random_mask_pixel", "Draws a place in a mask.")
      .input("mask", "Any tensor with elements.")
      .param("foreground", &Op::foreground, "1 draws from the foreground only, if there is any.")
      .param("value", &Op::value, "Elements equal to this are foreground.")
      .param("threshold", &Op::threshold, "Elements larger than this are foreground; without `value`.")
      .or_infinite()
      .outputs("The place as INT64, a number for each axis; each is equally likely.")
      .matches("DALI segmentation.random_mask_pixel; other numbers, the same distribution")
      .random()
      .build();
}

}  // namespace forebay::operators
