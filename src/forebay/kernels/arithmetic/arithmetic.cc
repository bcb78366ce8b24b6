// Iterates over the operands with broadcasting, in blocks: each block of an operand is converted to the
// common type, then the operation runs on dense blocks of that type. So there are types + operations loops
// rather than types^2 times operations.
#include "forebay/kernels/arithmetic/arithmetic.h"

#include <algorithm>
#include <array>

#include "forebay/kernels/arithmetic/blocks.h"
#include "forebay/kernels/generic/convert.h"
#include "forebay/kernels/generic/strided.h"

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::MutableTensorView;
using tensor::Shape;
using tensor::TensorView;

constexpr int kBlock = 512;
constexpr int kMaxOperands = 3;
using Block = std::array<std::byte, kBlock * 8>;

// `in_step` is 0 (one value for all) or 1.
template <class In, class Out>
void convert_values(const In* in, int in_step, int size, Out* out) {
  for (int i = 0; i < size; ++i) {
    out[i] = convert_plainly<Out>(in[i * in_step]);
  }
}

void convert_block(DType from, const void* in, int in_step, DType to, int size, void* out) {
  tensor::visit_dtype(from, [&](auto source) {
    using In = typename decltype(source)::type;
    tensor::visit_dtype(to, [&](auto target) {
      using Out = typename decltype(target)::type;
      convert_values(static_cast<const In*>(in), in_step, size, static_cast<Out*>(out));
    });
  });
}

struct Operand {
  const std::byte* data = nullptr;
  DType dtype = DType::kNone;
  int bytes = 0;
  Strides strides{};  // 0 if the operand is broadcast
};

struct Plan {
  ArithmeticOp op;
  DType compute;  // the type that operands are converted to
  DType result;   // the type of a block of results before conversion to the output's type
  DType out;
  bool is_mixed_comparison = false;  // uint64 with a signed integer, which have no common type
  int count = 0;
  std::array<Operand, kMaxOperands> operands;
};

// One row of the output, whose operands have a step of 0 or 1.
class RowEvaluator {
 public:
  explicit RowEvaluator(const Plan& plan) : plan_(plan) {}

  void run(const std::array<const std::byte*, kMaxOperands>& data, const std::array<int, kMaxOperands>& steps,
           int64_t size, std::byte* out) {
    const int out_bytes = static_cast<int>(tensor::size_of(plan_.out));
    for (int64_t at = 0; at < size; at += kBlock) {
      const int length = static_cast<int>(std::min<int64_t>(kBlock, size - at));
      std::array<const void*, kMaxOperands> blocks{};
      for (int i = 0; i < plan_.count; ++i) {
        const Operand& operand = plan_.operands[i];
        const std::byte* from = data[i] + at * steps[i] * operand.bytes;
        const bool is_filled = steps[i] == 0 && at > 0;  // with this row's single value
        blocks[i] = is_filled ? blocks_[i].data() : block_of(i, from, steps[i], length);
      }
      std::byte* target = out + at * out_bytes;
      if (plan_.result == plan_.out) {
        evaluate(blocks, length, target);
      } else {
        evaluate(blocks, length, result_.data());
        convert_block(plan_.result, result_.data(), 1, plan_.out, length, target);
      }
    }
  }

 private:
  const void* block_of(int index, const std::byte* from, int step, int length) {
    const Operand& operand = plan_.operands[index];
    const DType wanted = plan_.is_mixed_comparison
                             ? (operand.dtype == DType::kUint64 ? DType::kUint64 : DType::kInt64)
                             : plan_.compute;
    if (operand.dtype == wanted && step == 1) {
      return from;
    }
    convert_block(operand.dtype, from, step, wanted, length, blocks_[index].data());
    return blocks_[index].data();
  }

  void evaluate(const std::array<const void*, kMaxOperands>& blocks, int length, void* out) const {
    if (plan_.is_mixed_comparison) {
      const bool swapped = plan_.operands[0].dtype != DType::kUint64;
      compare_unsigned_signed(plan_.op, static_cast<const uint64_t*>(blocks[swapped ? 1 : 0]),
                              static_cast<const int64_t*>(blocks[swapped ? 0 : 1]), swapped, length,
                              static_cast<bool*>(out));
      return;
    }
    apply_to_block(plan_.op, plan_.compute, blocks[0], blocks[1], blocks[2], length, out);
  }

  const Plan& plan_;
  alignas(64) std::array<Block, kMaxOperands> blocks_;
  alignas(64) Block result_;
};

// Merges adjacent axes that all operands traverse alike, so that rows are long.
Shape joined_axes(const Shape& shape, Plan* plan) {
  Shape joined;
  std::array<Strides, kMaxOperands> strides{};
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) {
      continue;
    }
    bool joins = joined.rank() > 0;
    for (int i = 0; joins && i < plan->count; ++i) {
      joins = strides[i][joined.rank() - 1] == plan->operands[i].strides[axis] * shape[axis];
    }
    if (joins) {
      joined[joined.rank() - 1] *= shape[axis];
    } else {
      joined.push_back(shape[axis]);
    }
    for (int i = 0; i < plan->count; ++i) {
      strides[i][joined.rank() - 1] = plan->operands[i].strides[axis];
    }
  }
  for (int i = 0; i < plan->count; ++i) {
    plan->operands[i].strides = strides[i];
  }
  return joined;
}

Operand broadcast_operand(const TensorView& view, const Shape& shape) {
  Operand operand{static_cast<const std::byte*>(view.data),
                  view.dtype(),
                  static_cast<int>(tensor::size_of(view.dtype())),
                  {}};
  const Strides dense = dense_strides(view.shape());
  for (int axis = 0; axis < view.shape().rank(); ++axis) {
    if (view.shape()[axis] != 1) {
      operand.strides[axis + shape.rank() - view.shape().rank()] = dense[axis];
    }
  }
  return operand;
}

Result<Plan> make_plan(ArithmeticOp op, std::span<const TensorView> operands, const MutableTensorView& out) {
  std::array<DType, kMaxOperands> types{};
  std::array<Shape, kMaxOperands> extents;
  const size_t count = std::min<size_t>(operands.size(), kMaxOperands);
  for (size_t i = 0; i < count; ++i) {
    types[i] = operands[i].dtype();
    extents[i] = operands[i].shape();
  }
  const std::span<const DType> dtypes(types.data(), count);
  const std::span<const Shape> shapes(extents.data(), count);
  Plan plan{.op = op, .compute = DType::kNone, .result = DType::kNone, .out = DType::kNone, .operands = {}};
  FOREBAY_ASSIGN_OR_RETURN(plan.out, result_dtype(op, dtypes));
  FOREBAY_ASSIGN_OR_RETURN(const Shape shape, broadcast_shape(shapes));
  const bool compares = is_comparison(op);
  if (compares && out.dtype() != DType::kNone) {
    plan.out = out.dtype();
  }
  if (out.dtype() != plan.out || !(out.shape() == shape)) {
    return invalid_argument("the result is {} {}, not {} {}", tensor::name_of(plan.out), shape.to_string(),
                            tensor::name_of(out.dtype()), out.shape().to_string());
  }
  DType common = dtypes[0];
  bool has_uint64 = false;
  bool has_signed = false;
  for (const DType dtype : dtypes) {
    common = promote(common, dtype);
    has_uint64 |= dtype == DType::kUint64;
    has_signed |= tensor::is_integer(dtype) && tensor::is_signed(dtype);
  }
  plan.is_mixed_comparison = compares && has_uint64 && has_signed;
  plan.compute = compares ? common : plan.out;
  plan.compute = plan.compute == DType::kFloat16 ? DType::kFloat : plan.compute;
  plan.result = compares ? DType::kBool : plan.compute;
  for (const TensorView& operand : operands) {
    plan.operands[plan.count++] = broadcast_operand(operand, shape);
  }
  return plan;
}

}  // namespace

Status apply_arithmetic(ArithmeticOp op, std::span<const TensorView> operands, const MutableTensorView& out) {
  FOREBAY_ASSIGN_OR_RETURN(Plan plan, make_plan(op, operands, out));
  if (out.volume() == 0) {
    return ok_status();
  }
  const Shape shape = joined_axes(out.shape(), &plan);
  const int rank = shape.rank();
  const int64_t row_size = rank == 0 ? 1 : shape.back();
  const int64_t row_bytes = row_size * static_cast<int64_t>(tensor::size_of(plan.out));
  std::array<const std::byte*, kMaxOperands> data{};
  std::array<int, kMaxOperands> steps{};
  for (int i = 0; i < plan.count; ++i) {
    data[i] = plan.operands[i].data;
    steps[i] = rank > 0 && plan.operands[i].strides[rank - 1] != 0 ? 1 : 0;
  }
  auto* target = static_cast<std::byte*>(out.data);
  RowEvaluator evaluator(plan);
  std::array<int64_t, tensor::kMaxRank> index{};
  while (true) {
    evaluator.run(data, steps, row_size, target);
    target += row_bytes;
    int axis = rank - 2;
    for (; axis >= 0; --axis) {
      const bool is_last = ++index[axis] == shape[axis];
      const int64_t moves = is_last ? 1 - shape[axis] : 1;
      for (int i = 0; i < plan.count; ++i) {
        data[i] += moves * plan.operands[i].strides[axis] * plan.operands[i].bytes;
      }
      if (!is_last) {
        break;
      }
      index[axis] = 0;
    }
    if (axis < 0) {
      return ok_status();
    }
  }
}

}  // namespace forebay::kernels
