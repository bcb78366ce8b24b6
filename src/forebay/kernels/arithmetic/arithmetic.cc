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
  if (in_step == 0) {
    std::fill_n(out, size, convert_plainly<Out>(*in));
    return;
  }
  for (int i = 0; i < size; ++i) {
    out[i] = convert_plainly<Out>(in[i]);
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

// How an operand goes through a row: one value for all of it, value by value, or the same few again and
// again.
enum class Walk : uint8_t { kStays, kMoves, kRepeats };

// One row of the output. `period` is how many values an operand has that repeats.
class RowEvaluator {
 public:
  RowEvaluator(const Plan& plan, int64_t period)
      : plan_(plan), period_(static_cast<int>(period)), block_(kBlock / period_ * period_) {}

  void run(const std::array<const std::byte*, kMaxOperands>& data,
           const std::array<Walk, kMaxOperands>& walks, int64_t size, std::byte* out) {
    const int out_bytes = static_cast<int>(tensor::size_of(plan_.out));
    for (int64_t at = 0; at < size; at += block_) {
      const int length = static_cast<int>(std::min<int64_t>(block_, size - at));
      std::array<const void*, kMaxOperands> blocks{};
      for (int i = 0; i < plan_.count; ++i) {
        const bool is_filled = walks[i] != Walk::kMoves && at > 0;  // with all that this row has of it
        blocks[i] = is_filled ? blocks_[i].data() : block_of(i, walks[i], data[i], at, length);
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
  const void* block_of(int index, Walk walk, const std::byte* row, int64_t at, int length) {
    const Operand& operand = plan_.operands[index];
    const bool moves = walk == Walk::kMoves;
    const std::byte* from = moves ? row + at * operand.bytes : row;
    const DType wanted = plan_.is_mixed_comparison
                             ? (operand.dtype == DType::kUint64 ? DType::kUint64 : DType::kInt64)
                             : plan_.compute;
    if (operand.dtype == wanted && moves) {
      return from;
    }
    std::byte* const block = blocks_[index].data();
    const bool repeats = walk == Walk::kRepeats;
    convert_block(operand.dtype, from, walk == Walk::kStays ? 0 : 1, wanted, repeats ? period_ : length,
                  block);
    if (repeats) {
      const auto bytes = static_cast<int64_t>(tensor::size_of(wanted));
      for (int64_t i = period_ * bytes; i < length * bytes; ++i) {
        block[i] = block[i - period_ * bytes];
      }
    }
    return block;
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
  const int period_;
  const int block_;  // whole periods
  alignas(64) std::array<Block, kMaxOperands> blocks_;
  alignas(64) Block result_;
};

Shape joined_axes(const Shape& shape, Plan* plan) {
  std::array<Strides, kMaxOperands> strides{};
  for (int i = 0; i < plan->count; ++i) {
    strides[i] = plan->operands[i].strides;
  }
  const Shape joined = join_axes(shape, std::span(strides).first(static_cast<size_t>(plan->count)));
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

// Whether the last two axes are one row in which each operand stays, moves or repeats: short rows of channels
// are many, and none of them is worth a block.
bool repeats_rows(const Shape& shape, const Plan& plan) {
  const int last = shape.rank() - 1;
  if (last < 1 || shape[last] > kBlock / 4) {
    return false;
  }
  for (int i = 0; i < plan.count; ++i) {
    const int64_t outer = plan.operands[i].strides[last - 1];
    const int64_t inner = plan.operands[i].strides[last];
    const bool stays_or_repeats = outer == 0;
    const bool moves = inner == 1 && outer == shape[last];
    if (!stays_or_repeats && !moves) {
      return false;
    }
  }
  return true;
}

Walk walk_of(const Strides& strides, int rank, bool repeats) {
  if (rank == 0 || strides[rank - 1] == 0) {
    return Walk::kStays;
  }
  return repeats && strides[rank - 2] == 0 ? Walk::kRepeats : Walk::kMoves;
}

}  // namespace

Status apply_arithmetic(ArithmeticOp op, std::span<const TensorView> operands, const MutableTensorView& out) {
  FOREBAY_ASSIGN_OR_RETURN(Plan plan, make_plan(op, operands, out));
  if (out.volume() == 0) {
    return ok_status();
  }
  const Shape shape = joined_axes(out.shape(), &plan);
  const int rank = shape.rank();
  const bool repeats = repeats_rows(shape, plan);
  const int64_t period = repeats ? shape.back() : 1;
  const int64_t row_size = (rank == 0 ? 1 : shape.back()) * (repeats ? shape[rank - 2] : 1);
  const int64_t row_bytes = row_size * static_cast<int64_t>(tensor::size_of(plan.out));
  std::array<const std::byte*, kMaxOperands> data{};
  std::array<Walk, kMaxOperands> walks{};
  for (int i = 0; i < plan.count; ++i) {
    data[i] = plan.operands[i].data;
    walks[i] = walk_of(plan.operands[i].strides, rank, repeats);
  }
  auto* target = static_cast<std::byte*>(out.data);
  RowEvaluator evaluator(plan, period);
  std::array<int64_t, tensor::kMaxRank> index{};
  while (true) {
    evaluator.run(data, walks, row_size, target);
    target += row_bytes;
    int axis = rank - (repeats ? 3 : 2);
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
