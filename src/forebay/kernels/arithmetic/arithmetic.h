// Elementwise arithmetic with DALI's type rules, and broadcasting.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

enum class ArithmeticOp : uint8_t {
  // One operand. kSqrt to kAtanh convert integers to float.
  kPlus,
  kMinus,
  kBitNot,
  kAbs,
  kFabs,
  kFloor,
  kCeil,
  kSqrt,
  kRsqrt,
  kCbrt,
  kExp,
  kLog,
  kLog2,
  kLog10,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh,
  // Two operands.
  kAdd,
  kSub,
  kMul,
  kDiv,   // integers: rounds towards 0; 0 if the divisor is 0
  kFdiv,  // integers: in float
  kMod,   // the remainder of kDiv, with the dividend's sign
  kMin,
  kMax,
  kPow,   // integers: 0 for negative exponents
  kFpow,  // integers: in float
  kAtan2,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kBitAnd,
  kBitOr,
  kBitXor,
  kShiftLeft,
  kShiftRight,
  // Three operands: value, low, high.
  kClamp,
};

/// The names used in DALI's expressions: "add", "fdiv", "eq", "geq", "bitand", "clamp", ...; not_found for
/// others.
Result<ArithmeticOp> arithmetic_op_of(std::string_view name);
std::string_view name_of(ArithmeticOp op);
int operand_count(ArithmeticOp op);
/// True for kEqual to kGreaterEqual, whose results are bools.
bool is_comparison(ArithmeticOp op);

/// The common type of two operands: equal types stay; a float wins over integers, the wider over the
/// narrower; signed with an unsigned of at least its width gives the next wider signed type (at most int64);
/// bool yields to all.
tensor::DType promote(tensor::DType a, tensor::DType b);

/// The type of the result. invalid_argument where DALI refuses: bitwise operations on floats, arithmetic that
/// is undefined for bool, a wrong number of operands. (float16 is computed in float and rounded; DALI refuses
/// it.)
Result<tensor::DType> result_dtype(ArithmeticOp op, std::span<const tensor::DType> operands);

/// Right-aligned broadcasting: axes must have equal extents, extent 1, or be missing; otherwise
/// invalid_argument.
Result<tensor::Shape> broadcast_shape(std::span<const tensor::Shape> shapes);

/// out = op(operands...). `out` has result_dtype() and broadcast_shape(); it may be one of the operands if
/// shape and type are the same. If `out` is not bool, comparisons write 0 and 1. Comparisons between signed
/// and unsigned integers compare values. + - * min max clamp, comparisons and bitwise operations are exact;
/// functions are libm's.
Status apply_arithmetic(ArithmeticOp op, std::span<const tensor::TensorView> operands,
                        const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
