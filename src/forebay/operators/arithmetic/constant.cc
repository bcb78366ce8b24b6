// constant: a tensor whose content is stored in the graph.
#include "forebay/kernels/generic/convert.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

/// A tensor of `spec` with `values`, or with a single value everywhere.
template <class From>
Result<Tensor> filled(const std::vector<From>& values, const TensorSpec& spec) {
  FOREBAY_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(spec));
  tensor::visit_dtype(spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::span<T> out = tensor.mutable_view().span<T>();
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = kernels::convert_saturated<T>(values[values.size() == 1 ? 0 : i]);
    }
  });
  return tensor;
}

struct Constant {
  std::optional<std::vector<float>> fdata;
  std::optional<std::vector<int64_t>> idata;
  std::optional<std::vector<int64_t>> shape;
  std::optional<DType> dtype;
  LayoutName layout;

  Status prepare(const Arguments&) {
    if (fdata.has_value() == idata.has_value()) {
      return invalid_argument("give the content as either `fdata` or `idata`");
    }
    const size_t count = fdata ? fdata->size() : idata->size();
    FOREBAY_ASSIGN_OR_RETURN(const Shape extents, extents_for(static_cast<int64_t>(count)));
    if (!layout.names.empty() && static_cast<int>(layout.names.size()) != extents.rank()) {
      return invalid_argument("the layout '{}' does not fit the shape {}", layout.names, extents.to_string());
    }
    const TensorSpec spec{extents, dtype.value_or(fdata ? DType::kFloat : DType::kInt32),
                          Layout(layout.names)};
    FOREBAY_ASSIGN_OR_RETURN(tensor_, fdata ? filled(*fdata, spec) : filled(*idata, spec));
    return ok_status();
  }

  Status run(Sample& sample) const {
    sample.forward(0, tensor_);
    return ok_status();
  }

 private:
  Result<Shape> extents_for(int64_t count) const {
    if (!shape) {
      return Shape{count};
    }
    if (shape->size() > tensor::kMaxRank) {
      return invalid_argument("a shape with {} axes; there can be {}", shape->size(), tensor::kMaxRank);
    }
    const Shape extents{std::span<const int64_t>(*shape)};
    const auto volume = extents.checked_volume();
    if (!volume || (count != 1 && *volume != count)) {
      return invalid_argument("{} values do not fill the shape {}; give as many as it has elements, or one",
                              count, extents.to_string());
    }
    return extents;
  }

  Tensor tensor_;
};

}  // namespace

OperatorSpec constant() {
  return describe<Constant>("constant", "Gives the same tensor for every sample.")
      .param("fdata", &Constant::fdata, "Content, as floats.")
      .any_number()
      .param("idata", &Constant::idata, "Content, as integers.")
      .param("shape", &Constant::shape,
             "Shape; without it, one axis with as many elements as there are values. One "
             "value fills any shape.")
      .param("dtype", &Constant::dtype, "Type; float for `fdata` and int32 for `idata` without it.")
      .param("layout", &Constant::layout, "Layout of the output.")
      .outputs("The tensor. All samples share it.")
      .matches("DALI constant")
      .build();
}

}  // namespace forebay::operators
