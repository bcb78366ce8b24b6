// Shared by the operations of networks: which types they accept, and their names in errors. Internal to
// ndarray.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "forebay/ndarray/operation.h"
#include "forebay/ndarray/sharing.h"

namespace forebay::ndarray {

/// invalid_argument unless all have the same type, float or float64.
inline Status check_real(std::span<const ArraySpec> specs) {
  for (const ArraySpec& spec : specs) {
    const bool is_real = spec.dtype == tensor::DType::kFloat || spec.dtype == tensor::DType::kFloat64;
    if (!is_real || spec.dtype != specs[0].dtype) {
      return invalid_argument("takes arrays that are all float32 or all float64, not {} and {}",
                              tensor::name_of(specs[0].dtype), tensor::name_of(spec.dtype));
    }
  }
  return ok_status();
}

/// Calls body(T{}) with the type T that check_real() accepted.
template <class Body>
Status visit_real(tensor::DType dtype, Body&& body) {
  return dtype == tensor::DType::kFloat ? body(float{}) : body(double{});
}

/// Prefixes an error with the operation's name.
inline Result<Array> named(Result<Array> made, std::string_view name) {
  return made.ok() ? std::move(made) : Result<Array>(annotate(made.status(), name));
}

}  // namespace forebay::ndarray
