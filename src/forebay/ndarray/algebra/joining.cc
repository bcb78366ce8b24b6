#include "forebay/ndarray/algebra/joining.h"

#include "forebay/kernels/generic/rearrange.h"
#include "forebay/ndarray/algebra/strided.h"

namespace forebay::ndarray {
namespace {

using tensor::Shape;

class Concatenate final : public Operation {
 public:
  explicit Concatenate(int axis) : axis_(axis) {}

  std::string_view name() const override { return "concat"; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = false}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    ArraySpec joined = inputs[0];
    for (const ArraySpec& input : inputs.subspan(1)) {
      ArraySpec expected = inputs[0];
      if (input.shape.rank() == expected.shape.rank()) {
        expected.shape[axis_] = input.shape[axis_];
      }
      if (!(input == expected)) {
        return invalid_argument("{} and {} cannot be joined along axis {}", inputs[0].to_string(),
                                input.to_string(), axis_);
      }
      joined.shape[axis_] += input.shape[axis_];
    }
    return ArraySpecs{std::move(joined)};
  }

  Status run(const Operands& operands) const override {
    return kernels::concatenate(operands.inputs, axis_, operands.outputs[0]);
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    Arrays gradients(request.input_specs.size());
    const Array& whole = request.output_gradients[0];
    int64_t from = 0;
    for (size_t i = 0; i < gradients.size(); ++i) {
      const Shape& shape = request.input_specs[i].shape;
      if (request.wanted[i]) {
        StridedLayout layout = layout_of(whole.shape());
        layout.shape = shape;
        layout.offset = from * layout.strides[static_cast<size_t>(axis_)];
        FOREBAY_ASSIGN_OR_RETURN(gradients[i], strided_view(name(), whole, layout));
      }
      from += shape[axis_];
    }
    return gradients;
  }

 private:
  const int axis_;
};

}  // namespace

Result<Array> concatenate(std::span<const Array> arrays, int axis) {
  if (arrays.empty()) {
    return invalid_argument("concat: no arrays");
  }
  FOREBAY_ASSIGN_OR_RETURN(const int place, checked_axis("concat", axis, arrays[0].shape().rank()));
  return apply_one(std::make_shared<Concatenate>(place), arrays);
}

}  // namespace forebay::ndarray
