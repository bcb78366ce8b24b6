#include "forebay/ndarray/algebra/shaping.h"

#include "forebay/memory/copy.h"
#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/autograd.h"
#include "forebay/ndarray/copying.h"

namespace forebay::ndarray {
namespace {

using tensor::Shape;

/// Elements from `offset` on, in `shape`. reshape() and rows() share the memory and never run it; it
/// represents them in the graph.
class View final : public Operation {
 public:
  View(Shape shape, int64_t offset) : shape_(shape), offset_(offset) {}

  std::string_view name() const override { return "view"; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = false}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    if (offset_ < 0 || offset_ + shape_.volume() > inputs[0].volume()) {
      return invalid_argument("{} elements from {} are not in {}", shape_.volume(), offset_,
                              inputs[0].to_string());
    }
    return ArraySpecs{{shape_, inputs[0].dtype}};
  }

  Status run(const Operands& operands) const override {
    const tensor::MutableTensorView& out = operands.outputs[0];
    const auto* const from = static_cast<const std::byte*>(operands.inputs[0].data);
    memory::copy(out.data, from + offset_ * static_cast<int64_t>(tensor::size_of(out.dtype())),
                 out.spec.size_bytes());
    return ok_status();
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    const ArraySpec& whole = request.input_specs[0];
    const Array& gradient = request.output_gradients[0];
    if (gradient.volume() == whole.volume()) {
      FOREBAY_ASSIGN_OR_RETURN(Array reshaped, reshape(gradient, whole.shape));
      return Arrays{std::move(reshaped)};
    }
    FOREBAY_ASSIGN_OR_RETURN(Array padded, place(gradient, whole, offset_));
    return Arrays{std::move(padded)};
  }

 private:
  const Shape shape_;
  const int64_t offset_;
};

}  // namespace

Array view(const Array& array, const Shape& shape, int64_t offset) {
  Array part = array.viewed(shape, static_cast<size_t>(offset) * tensor::size_of(array.dtype()));
  if (is_recording() && array.node() != nullptr) {
    record(std::make_shared<View>(shape, offset), {&array, 1}, {&part, 1});
  }
  return part;
}

Result<Array> reshape(const Array& array, const Shape& shape) {
  if (array.shape() == shape) {
    return array;
  }
  if (shape.checked_volume() != array.volume()) {
    return invalid_argument("{} elements of {} do not fill {}", array.volume(), array.shape().to_string(),
                            shape.to_string());
  }
  return view(array, shape, 0);
}

Result<Array> rows(const Array& array, int64_t begin, int64_t end) {
  const int64_t count = array.shape().rank() == 0 ? 0 : array.shape()[0];
  if (begin < 0 || begin > end || end > count) {
    return out_of_range("rows {} to {} of {}", begin, end, array.shape().to_string());
  }
  Shape shape = array.shape();
  const int64_t row_elements = array.shape().volume(1, array.shape().rank());
  shape[0] = end - begin;
  return view(array, shape, begin * row_elements);
}

Result<Array> row(const Array& array, int64_t index) {
  const int64_t count = array.shape().rank() == 0 ? 0 : array.shape()[0];
  const int64_t place = index < 0 ? index + count : index;
  if (place < 0 || place >= count) {
    return out_of_range("index {} is out of bounds for axis 0 with size {}", index, count);
  }
  const Shape rest(array.shape().extents().subspan(1));
  const Shape shape = rest.rank() == 0 ? Shape{1} : rest;
  return view(array, shape, place * rest.volume());
}

}  // namespace forebay::ndarray
