#include "forebay/operators/random/random_output.h"

#include "forebay/kernels/generic/convert.h"

namespace forebay::operators {

Result<Shape> RandomOutput::output_shape(const Sample& sample, int like) const {
  if (sample.num_inputs() > like) {
    return sample.input(like).shape();
  }
  if (!shape.is_given()) {
    return Shape();
  }
  FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers extents, shape.values(sample));
  if (extents.size() > tensor::kMaxRank) {
    return invalid_argument("a shape with {} axes; there can be {}", extents.size(), tensor::kMaxRank);
  }
  const Shape result(extents);
  if (!result.checked_volume()) {
    return invalid_argument("no tensor can have the shape {}", result.to_string());
  }
  return result;
}

Status RandomOutput::check(const Arguments& arguments, int like) const {
  if (shape.is_given() && arguments.num_inputs > like) {
    return invalid_argument("the shape is given twice, as `shape` and by an input to be like; drop one");
  }
  return ok_status();
}

Status fill_random(Sample& sample, const Shape& shape, DType dtype,
                   const std::function<double(RandomStream&)>& draw) {
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, {shape, dtype, {}}));
  RandomStream stream = sample.random();
  tensor::visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (T& element : out.span<T>()) {
      element = kernels::convert_saturated<T>(draw(stream));
    }
  });
  return ok_status();
}

}  // namespace forebay::operators
