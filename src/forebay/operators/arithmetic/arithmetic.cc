// _arithmetic: the operators of Python's expressions and the functions of the math module, element by
// element.
#include "forebay/kernels/arithmetic/arithmetic.h"

#include <algorithm>

#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

/// The longest layout; every other must be a suffix of it.
Result<Layout> common_layout(const Sample& sample, std::string_view op) {
  Layout common;
  for (int i = 0; i < sample.num_inputs(); ++i) {
    const Layout& other = sample.input(i).layout();
    const bool is_longer = other.size() > common.size();
    const std::string_view longer = is_longer ? other.view() : common.view();
    const std::string_view shorter = is_longer ? common.view() : other.view();
    if (!longer.ends_with(shorter)) {
      return invalid_argument(
          "operands of {} have the layouts '{}' and '{}'; one must be the end of the other", op,
          common.view(), other.view());
    }
    common = is_longer ? other : common;
  }
  return common;
}

bool has_zero(const TensorView& view) {
  return tensor::visit_dtype(view.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return std::ranges::any_of(view.span<T>(), [](T value) { return value == T{}; });
  });
}

struct Arithmetic {
  std::string op;

  Status prepare(const Arguments& arguments) {
    FOREBAY_ASSIGN_OR_RETURN(op_, kernels::arithmetic_op_of(op));
    if (arguments.num_inputs != kernels::operand_count(op_)) {
      return invalid_argument("'{}' takes {} operands, not {}", op, kernels::operand_count(op_),
                              arguments.num_inputs);
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    std::vector<TensorView> operands;
    std::vector<DType> types;
    std::vector<Shape> shapes;
    for (int i = 0; i < sample.num_inputs(); ++i) {
      operands.push_back(sample.input(i).view());
      types.push_back(sample.input(i).dtype());
      shapes.push_back(sample.input(i).shape());
    }
    FOREBAY_ASSIGN_OR_RETURN(const DType dtype, kernels::result_dtype(op_, types));
    FOREBAY_ASSIGN_OR_RETURN(const Shape shape, kernels::broadcast_shape(shapes));
    FOREBAY_ASSIGN_OR_RETURN(Layout layout, common_layout(sample, op));
    if (layout.size() != shape.rank()) {
      layout = {};
    }
    const bool divides = op_ == kernels::ArithmeticOp::kDiv || op_ == kernels::ArithmeticOp::kMod;
    if (divides && !tensor::is_floating(dtype) && has_zero(operands[1])) {
      return invalid_argument("division of integers by zero");
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, {shape, dtype, layout}));
    return kernels::apply_arithmetic(op_, operands, out);
  }

 private:
  kernels::ArithmeticOp op_{};
};

}  // namespace

OperatorSpec arithmetic() {
  return describe<Arithmetic>("_arithmetic", "Computes one operation element by element.")
      .variadic_inputs("operands", "One to three tensors whose shapes broadcast, aligned at their last axes.",
                       1, 3)
      .param("op", &Arithmetic::op, "The operation: 'add', 'sub', 'lt', 'sqrt', 'clamp'...")
      .required()
      .outputs(
          "The results, of the type that the operands are promoted to. Additions, products and comparisons "
          "are the "
          "same bits everywhere, functions as close as the C library's.")
      .matches("DALI arithmetic expressions")
      .close()
      .internal()
      .build();
}

}  // namespace forebay::operators
