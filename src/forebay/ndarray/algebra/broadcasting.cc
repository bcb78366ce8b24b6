#include "forebay/ndarray/algebra/broadcasting.h"

#include "forebay/kernels/generic/strided.h"
#include "forebay/ndarray/algebra/reduce.h"
#include "forebay/ndarray/algebra/shaping.h"

namespace forebay::ndarray {
namespace {

using tensor::Shape;

/// Element (i, j, ...) of the output is that of the input, whose repeated axes have stride 0.
class BroadcastTo final : public Operation {
 public:
  explicit BroadcastTo(Shape shape) : shape_(shape) {}

  std::string_view name() const override { return "broadcast_to"; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = false}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    const Shape& in = inputs[0].shape;
    bool fits = in.rank() <= shape_.rank();
    for (int axis = 0; fits && axis < in.rank(); ++axis) {
      fits = in[axis] == 1 || in[axis] == shape_[shape_.rank() - in.rank() + axis];
    }
    if (!fits) {
      return invalid_argument("{} does not broadcast to {}", in.to_string(), shape_.to_string());
    }
    return ArraySpecs{{shape_, inputs[0].dtype}};
  }

  Status run(const Operands& operands) const override {
    const tensor::TensorView& in = operands.inputs[0];
    const kernels::Strides dense = kernels::dense_strides(in.shape());
    kernels::Strides strides{};
    const int missing = shape_.rank() - in.shape().rank();
    for (int axis = 0; axis < in.shape().rank(); ++axis) {
      strides[static_cast<size_t>(axis + missing)] =
          in.shape()[axis] == 1 ? 0 : dense[static_cast<size_t>(axis)];
    }
    kernels::copy_strided(shape_, static_cast<int>(tensor::size_of(in.dtype())), in.data, strides,
                          operands.outputs[0].data, kernels::dense_strides(shape_));
    return ok_status();
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    FOREBAY_ASSIGN_OR_RETURN(Array gradient,
                             sum_to(request.output_gradients[0], request.input_specs[0].shape));
    return Arrays{std::move(gradient)};
  }

 private:
  const Shape shape_;
};

}  // namespace

Result<Array> sum_to(const Array& array, const Shape& shape) {
  if (array.shape() == shape) {
    return array;
  }
  ReduceOptions options{.keep_axes = true};
  const int missing = array.shape().rank() - shape.rank();
  for (int axis = 0; axis < array.shape().rank(); ++axis) {
    if (axis < missing || (shape[axis - missing] == 1 && array.shape()[axis] != 1)) {
      options.axes.push_back(axis);
    }
  }
  if (options.axes.empty()) {
    return reshape(array, shape);
  }
  FOREBAY_ASSIGN_OR_RETURN(const Array summed, reduce(Reduction::kSum, array, options));
  return reshape(summed, shape);
}

Result<Array> broadcast_to(const Array& array, const Shape& shape) {
  if (array.shape() == shape) {
    return array;
  }
  return apply_one(std::make_shared<BroadcastTo>(shape), {&array, 1});
}

}  // namespace forebay::ndarray
