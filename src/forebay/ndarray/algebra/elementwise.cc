// The operations; their derivatives are in elementwise_gradients.cc. Large arrays are computed in pieces of
// fixed size by all idle workers.
#include "forebay/ndarray/algebra/elementwise.h"

#include <algorithm>
#include <array>

#include "forebay/kernels/functions/functions.h"
#include "forebay/ndarray/algebra/elementwise_gradients.h"
#include "forebay/ndarray/algebra/scalar.h"
#include "forebay/ndarray/block_allocator.h"
#include "forebay/ndarray/sharing.h"

namespace forebay::ndarray {
namespace {

using kernels::is_comparison;
using tensor::DType;
using tensor::MutableTensorView;
using tensor::Shape;
using tensor::TensorView;

constexpr int kMaxOperands = 2;

/// The kernel for a function of one operand: fast for float, and in the operand's type for integers.
kernels::UnaryFunction function_of(ArithmeticOp op) {
  using enum kernels::UnaryFunction;
  constexpr kernels::UnaryFunction kFunctions[] = {
      kFloor, kCeil,   kSqrt,   kRsqrt,  kCbrt, kExp,  kLog,  kLog2,    kLog10,   kSin,    kCos,
      kTan,   kArcsin, kArccos, kArctan, kSinh, kCosh, kTanh, kArcsinh, kArccosh, kArctanh};
  return kFunctions[static_cast<int>(op) - static_cast<int>(ArithmeticOp::kFloor)];
}

bool is_function(ArithmeticOp op) {
  return op >= ArithmeticOp::kFloor && op <= ArithmeticOp::kAtanh;
}

Status evaluate(ArithmeticOp op, std::span<const TensorView> operands, const MutableTensorView& out) {
  if (is_function(op)) {
    kernels::apply_function(function_of(op), {}, out.dtype(), operands[0].data, out.volume(), out.data);
    return ok_status();
  }
  return kernels::apply_arithmetic(op, operands, out);
}

/// For operands that are as large as the output or hold a single value.
Status evaluate_flat(ArithmeticOp op, std::span<const TensorView> operands, const MutableTensorView& out) {
  const int64_t volume = out.volume();
  if (volume <= kElementsAShare) {
    return evaluate(op, operands, out);
  }
  return share(volume, kElementsAShare, [&](int64_t first, int64_t last) {
    std::array<TensorView, kMaxOperands> parts;
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool is_whole = operands[i].volume() == volume;
      parts[i] = is_whole ? part_of(operands[i], first, last) : part_of(operands[i], 0, 1);
    }
    return evaluate(op, {parts.data(), operands.size()}, part_of(out, first, last));
  });
}

Status evaluate_broadcast(ArithmeticOp op, std::span<const TensorView> operands,
                          const MutableTensorView& out) {
  const int64_t volume = out.volume();
  if (volume == 0) {
    return ok_status();
  }
  const bool is_flat = std::ranges::all_of(operands, [&](const TensorView& operand) {
    return operand.volume() == volume || operand.volume() == 1;
  });
  return is_flat ? evaluate_flat(op, operands, out) : evaluate(op, operands, out);
}

Result<ArraySpec> result_spec(ArithmeticOp op, std::span<const ArraySpec> operands) {
  std::array<DType, kMaxOperands> dtypes{};
  std::array<Shape, kMaxOperands> shapes;
  for (size_t i = 0; i < operands.size(); ++i) {
    dtypes[i] = operands[i].dtype;
    shapes[i] = operands[i].shape;
    if (dtypes[i] != dtypes[0]) {
      return invalid_argument("operands of {} and {}; convert one to the other's type with astype()",
                              tensor::name_of(dtypes[0]), tensor::name_of(dtypes[i]));
    }
  }
  FOREBAY_ASSIGN_OR_RETURN(const DType dtype, kernels::result_dtype(op, {dtypes.data(), operands.size()}));
  FOREBAY_ASSIGN_OR_RETURN(Shape shape, kernels::broadcast_shape({shapes.data(), operands.size()}));
  return ArraySpec{shape, is_comparison(op) || is_function(op) ? dtypes[0] : dtype};
}

class Elementwise final : public Operation {
 public:
  Elementwise(ArithmeticOp op, size_t operands) : op_(op), operands_(operands) {}

  std::string_view name() const override { return kernels::name_of(op_); }
  bool works_in_place() const override { return true; }
  bool is_differentiable() const override { return has_gradient(op_); }
  Keeps keeps(Places wanted) const override { return kept_by(op_, wanted); }
  bool is_step() const override { return has_zero_gradient(op_); }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    if (inputs.size() != operands_) {
      return invalid_argument("takes {} arrays", operands_);
    }
    FOREBAY_ASSIGN_OR_RETURN(ArraySpec spec, result_spec(op_, inputs));
    return ArraySpecs{std::move(spec)};
  }

  Status run(const Operands& operands) const override {
    return evaluate_broadcast(op_, operands.inputs, operands.outputs[0]);
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    return elementwise_gradients(op_, request);
  }

 private:
  const ArithmeticOp op_;
  const size_t operands_;
};

/// op(array, scalar) or op(scalar, array).
class WithScalar final : public Operation {
 public:
  WithScalar(ArithmeticOp op, double scalar, bool reversed) : op_(op), scalar_(scalar), reversed_(reversed) {}

  std::string_view name() const override { return kernels::name_of(op_); }
  bool works_in_place() const override { return true; }
  bool is_differentiable() const override { return has_gradient(op_); }
  Keeps keeps(Places /*wanted*/) const override { return kept_with_scalar(op_, reversed_); }
  bool is_step() const override { return has_zero_gradient(op_); }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    const DType operands[] = {inputs[0].dtype, inputs[0].dtype};
    FOREBAY_ASSIGN_OR_RETURN(const DType dtype, kernels::result_dtype(op_, operands));
    return ArraySpecs{{inputs[0].shape, is_comparison(op_) ? operands[0] : dtype}};
  }

  Status run(const Operands& operands) const override {
    const TensorView& array = operands.inputs[0];
    const Scalar number(scalar_, array.dtype());
    MutableTensorView out = operands.outputs[0];
    out.spec.shape = Shape{out.volume()};  // so that arrays of rank 0 and 1 do not broadcast to rank 1
    TensorView flat[] = {reversed_ ? number.view() : array, reversed_ ? array : number.view()};
    flat[reversed_ ? 1 : 0].spec.shape = out.spec.shape;
    return evaluate_broadcast(op_, flat, out);
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    return scalar_gradients(op_, scalar_, reversed_, request);
  }

 private:
  const ArithmeticOp op_;
  const double scalar_;
  const bool reversed_;
};

/// Operations without parameters are made only once.
OperationRef operation_of(ArithmeticOp op) {
  constexpr auto kCount = static_cast<size_t>(ArithmeticOp::kClamp) + 1;
  // Never destroyed, because threads may outlive the process's statics.
  static const auto& known = *[] {
    auto* const all = new std::array<OperationRef, kCount>;
    auto& made = *all;
    for (size_t i = 0; i < kCount; ++i) {
      const auto each = static_cast<ArithmeticOp>(i);
      made[i] = std::make_shared<Elementwise>(each, static_cast<size_t>(kernels::operand_count(each)));
    }
    return all;
  }();
  return known[static_cast<size_t>(op)];
}

}  // namespace

OperationRef add_operation() {
  return operation_of(ArithmeticOp::kAdd);
}

Result<Array> unary(ArithmeticOp op, const Array& a) {
  return apply_one(operation_of(op), {&a, 1});
}

Result<Array> binary(ArithmeticOp op, const Array& a, const Array& b) {
  const Array inputs[] = {a, b};
  return apply_one(operation_of(op), inputs);
}

Result<Array> with_scalar(ArithmeticOp op, const Array& a, double scalar, bool reversed) {
  return apply_one(std::allocate_shared<WithScalar>(BlockAllocator<WithScalar>(), op, scalar, reversed),
                   {&a, 1});
}

Status binary_into(ArithmeticOp op, const Array& a, const Array& b, const Array& out) {
  const Array inputs[] = {a, b};
  return apply_into(operation_of(op), inputs, out);
}

Status with_scalar_into(ArithmeticOp op, const Array& a, double scalar, const Array& out, bool reversed) {
  return apply_into(std::allocate_shared<WithScalar>(BlockAllocator<WithScalar>(), op, scalar, reversed),
                    {&a, 1}, out);
}

Status add_into(const Array& from, const Array& to) {
  const Array operands[] = {to.detached(), from.detached()};
  return enqueue(add_operation(), operands, {operands, 1});
}

}  // namespace forebay::ndarray
