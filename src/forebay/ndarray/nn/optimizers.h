// Optimizer steps: each is one task that reads the gradient and writes weight and states in one pass.
#pragma once

#include <span>

#include "forebay/kernels/nn/optimizer.h"
#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// out = the weight after one step. The states (as many as the rule keeps, with the weight's spec) are
/// updated in place. `out` may be `weight`, but must overlap nothing else. float and float64.
Status update(kernels::UpdateRule rule, const kernels::UpdateOptions& options, const Array& weight,
              const Array& gradient, std::span<const Array> states, const Array& out);

}  // namespace forebay::ndarray
