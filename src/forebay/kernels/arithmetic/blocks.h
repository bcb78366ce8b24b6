// Operations on short dense blocks of one type: the inner loops of apply_arithmetic().
#pragma once

#include <cstdint>

#include "forebay/kernels/arithmetic/arithmetic.h"
#include "forebay/tensor/dtype.h"

namespace forebay::kernels {

/// out[i] = op(a[i]) / op(a[i], b[i]) / op(a[i], b[i], c[i]), all of type `dtype`, which must not be float16
/// and, for functions, must be float or double. Comparisons write bool. `out` may be an operand.
void apply_to_block(ArithmeticOp op, tensor::DType dtype, const void* a, const void* b, const void* c,
                    int size, void* out);

/// Compares uint64 and int64 by value. `swapped`: a is the int64.
void compare_unsigned_signed(ArithmeticOp op, const uint64_t* a, const int64_t* b, bool swapped, int size,
                             bool* out);

/// The one-operand functions (kFabs to kAtanh), kFpow and kAtan2, in float or double.
void apply_function(ArithmeticOp op, const float* a, const float* b, int size, float* out);
void apply_function(ArithmeticOp op, const double* a, const double* b, int size, double* out);

}  // namespace forebay::kernels
