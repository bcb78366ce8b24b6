#include "forebay/operators/describe.h"
#include "forebay/operators/layout/image_axes.h"
#include "forebay/operators/windows/crop_arguments.h"

namespace forebay::operators {

struct Crop : CropArguments {
  std::optional<DType> dtype;
  std::string out_of_bounds_policy = "error";
  std::vector<float> fill_values = {0.0F};

  Status prepare(const Arguments&) const { return check(); }

  Status run(Sample& sample) const {
    const TensorSpec& in = sample.input(0).spec();
    const Layout layout = layout_or_guess(in);
    if (layout.size() != in.shape.rank()) {
      return invalid_argument("an image, volume or sequence is needed, not {}", in.to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(TensorWindow wanted, window(sample, in.shape, layout));
    FOREBAY_ASSIGN_OR_RETURN(wanted, apply_policy(wanted, in.shape, out_of_bounds_policy));
    return write_window(sample, wanted, dtype.value_or(in.dtype), layout,
                        {out_of_bounds_policy, fill_values, layout.find('C')});
  }
};

OperatorSpec crop() {
  return describe<Crop>("crop", "Cuts a window out of images, volumes or sequences.")
      .input("data", "HWC, CHW, DHWC, CDHW, or a sequence of these (F).")
      .group([](auto& description) { add_crop_arguments(description); })
      .param("dtype", &Crop::dtype, "Element type of the output; that of the input when not given.")
      .old_name("output_dtype", &Crop::dtype)
      .ignored("image_type", std::optional<ImageType>())
      .param(
          "out_of_bounds_policy", &Crop::out_of_bounds_policy,
          "What a window that leaves the input does: an error, `pad` with fill_values, or `trim_to_shape`.")
      .choices(crop_policies())
      .param("fill_values", &Crop::fill_values,
             "What is put outside the input: one value, or one a channel. Without any: 0.")
      .any_number()
      .outputs("The window, of the input's layout.")
      .matches("DALI fn.crop")
      .build();
}

}  // namespace forebay::operators
