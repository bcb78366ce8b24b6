// A number as an operand next to an array. Internal to ndarray.
#pragma once

#include <array>
#include <cstddef>

#include "forebay/kernels/generic/convert.h"
#include "forebay/tensor/tensor.h"

namespace forebay::ndarray {

/// One element, converted from a number by the type's rules.
class Scalar {
 public:
  Scalar(double value, tensor::DType dtype) : dtype_(dtype) {
    tensor::visit_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      *reinterpret_cast<T*>(bytes_.data()) = kernels::convert_plainly<T>(value);
    });
  }

  /// The view borrows from this object.
  tensor::TensorView view() const { return {bytes_.data(), {tensor::Shape{1}, dtype_, {}}}; }

 private:
  alignas(8) std::array<std::byte, 8> bytes_{};
  const tensor::DType dtype_;
};

}  // namespace forebay::ndarray
