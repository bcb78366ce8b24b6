// Preemphasis: a filter of two taps that raises high frequencies.
#pragma once

#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// What stands before the first sample.
enum class PreemphasisBorder : uint8_t {
  kZero,
  kClamp,    // the first sample
  kReflect,  // the second one; 0 if there is none
};

/// out[t] = in[t] - coefficient * in[t - 1] over all elements in memory order, in doubles if `in` is FLOAT64
/// and else in floats; rounded (halves away from zero) and saturated to the type of `out`. Any numeric types,
/// of equal volumes; the memory must not overlap. The same bits on every target.
void preemphasize(const tensor::TensorView& in, float coefficient, PreemphasisBorder border,
                  const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
