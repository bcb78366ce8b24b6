#include "forebay/operators/describe.h"
#include "forebay/operators/layout/image_axes.h"
#include "forebay/operators/windows/slice_arguments.h"

namespace forebay::operators {

struct Slice : SliceArguments {
  std::optional<DType> dtype;
  std::string out_of_bounds_policy = "error";
  std::vector<float> fill_values = {0.0F};

  Status prepare(const Arguments& arguments) { return prepare_slice(arguments); }

  Status run(Sample& sample) const {
    const TensorSpec& in = sample.input(0).spec();
    const Layout guessed = layout_or_guess(in);
    FOREBAY_ASSIGN_OR_RETURN(TensorWindow wanted, window(sample, in.shape, guessed));
    FOREBAY_ASSIGN_OR_RETURN(wanted, apply_policy(wanted, in.shape, out_of_bounds_policy));
    return write_window(sample, wanted, dtype.value_or(in.dtype), in.layout,
                        {out_of_bounds_policy, fill_values, guessed.find('C')});
  }
};

OperatorSpec slice() {
  return describe<Slice>("slice", "Cuts a window, given by its edges, out of tensors.")
      .input("data", "Any tensor.")
      .group([](auto& description) { add_slice_inputs(description); })
      .group([](auto& description) { add_slice_arguments(description); })
      .param("dtype", &Slice::dtype, "Element type of the output; that of the input when not given.")
      .old_name("output_dtype", &Slice::dtype)
      .ignored("image_type", std::optional<ImageType>())
      .param("out_of_bounds_policy", &Slice::out_of_bounds_policy,
             "What a window that leaves the input does: an error, `pad` with fill_values, `trim_to_shape`, "
             "or go on as "
             "`edge`, `reflect_1001`, `reflect_101` or `wrap` say.")
      .choices(slice_policies())
      .param("fill_values", &Slice::fill_values,
             "What is put outside the input: one value, or one a channel.")
      .any_number()
      .outputs("The window, of the input's layout.")
      .matches("DALI fn.slice")
      .build();
}

}  // namespace forebay::operators
