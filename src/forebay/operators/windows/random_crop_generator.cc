#include "forebay/operators/describe.h"
#include "forebay/operators/windows/random_crop.h"

namespace forebay::operators {

struct RandomCropGenerator : RandomCropArguments {
  Status prepare(const Arguments&) const { return check(); }
  int num_outputs() const { return 2; }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    const bool is_integer = in.dtype() == DType::kInt32 || in.dtype() == DType::kInt64;
    if (in.shape().rank() != 1 || (in.volume() != 2 && in.volume() != 3) || !is_integer) {
      return invalid_argument("a shape is needed, int32 or int64 with 2 or 3 entries (HW or HWC), not {}",
                              in.spec().to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers shape, ArgumentIntegers::of(in));
    const CropWindow window = draw(sample.random(), shape[0], shape[1]);
    const TensorSpec spec{Shape{2}, DType::kInt32, {}};
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView anchor, sample.output(0, spec));
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView size, sample.output(1, spec));
    anchor.as<int32_t>()[0] = static_cast<int32_t>(window.y);
    anchor.as<int32_t>()[1] = static_cast<int32_t>(window.x);
    size.as<int32_t>()[0] = static_cast<int32_t>(window.height);
    size.as<int32_t>()[1] = static_cast<int32_t>(window.width);
    return ok_status();
  }
};

OperatorSpec random_crop_generator() {
  return describe<RandomCropGenerator>(
             "random_crop_generator",
             "The window of a random resized crop as data, for images of a given shape.")
      .input("shape", "Shape of the image: (height, width) or (height, width, channels).")
      .group([](auto& description) { add_random_crop_arguments(description); })
      .outputs("Corner (y, x) and size (height, width) of the window, int32.")
      .matches("DALI fn.random_crop_generator")
      .random()
      .build();
}

}  // namespace forebay::operators
