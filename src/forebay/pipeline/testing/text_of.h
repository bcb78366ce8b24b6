// The bytes of a delivered tensor, as tests compare them.
#pragma once

#include <string>

#include "forebay/tensor/tensor.h"

namespace forebay::pipeline {

inline std::string text_of(const tensor::Tensor& tensor) {
  return {static_cast<const char*>(tensor.data()), tensor.size_bytes()};
}

}  // namespace forebay::pipeline
