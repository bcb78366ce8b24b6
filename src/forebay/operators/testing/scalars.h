// Tensors of a single number, for tests of tensor arguments.
#pragma once

#include "forebay/operators/testing/tensors.h"

namespace forebay::operators::testing {

template <class T>
Tensor scalar_of(T value) {
  return *Tensor::scalar<T>(value);
}

}  // namespace forebay::operators::testing
