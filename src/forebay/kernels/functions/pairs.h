// Elementwise functions of two numbers that arithmetic.h does not have. Operands and result have the same
// type.
#pragma once

#include <cstdint>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/tensor/dtype.h"

namespace forebay::kernels {

enum class PairFunction : uint8_t {
  kLogicalAnd,
  kLogicalOr,
  kLogicalXor,
  kModulo,  // with the divisor's sign; 0 if the divisor is 0, as in MXNet
  kHypot,
};

/// "logical_and", "modulo", ...; not_found for others.
Result<PairFunction> pair_function_of(std::string_view name);
std::string_view name_of(PairFunction function);

/// out[i] = function(a[i * a_step], b[i * b_step]); steps are 0 or 1. Any type but bool. `out` may be an
/// operand with step 1. Exact except for hypot.
void apply_pairs(PairFunction function, tensor::DType dtype, const void* a, int a_step, const void* b,
                 int b_step, int64_t count, void* out);

}  // namespace forebay::kernels
