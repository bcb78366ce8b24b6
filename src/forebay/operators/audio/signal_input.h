// What operators on sound ask of their inputs.
#pragma once

#include <cstdint>

#include "forebay/kernels/signal/fft.h"
#include "forebay/operators/sample.h"

namespace forebay::operators {

/// invalid_argument, naming what was given, unless `tensor` is of FLOAT.
inline Status check_is_float(const Tensor& tensor) {
  if (tensor.dtype() != DType::kFloat) {
    return invalid_argument("the input is {}; it must be FLOAT: cast it first", tensor.spec().to_string());
  }
  return ok_status();
}

/// The number of samples of a signal of one channel; invalid_argument if there are none, or several channels.
inline Result<int64_t> samples_of_one_channel(const Tensor& tensor) {
  int64_t length = 1;
  for (const int64_t extent : tensor.shape().extents()) {
    if (extent != 1 && length != 1) {
      return invalid_argument("the input is {}; it must be one channel: at most one axis longer than 1",
                              tensor.spec().to_string());
    }
    length = extent == 1 ? length : extent;
  }
  return length;
}

/// The same of FLOAT with at least one sample.
inline Result<int64_t> signal_length(const Tensor& tensor) {
  FOREBAY_RETURN_IF_ERROR(check_is_float(tensor));
  FOREBAY_ASSIGN_OR_RETURN(const int64_t length, samples_of_one_channel(tensor));
  if (length == 0) {
    return invalid_argument("the input is {}: a signal without samples", tensor.spec().to_string());
  }
  return length;
}

/// What a power of 1 or 2 of the magnitude is to the transform.
inline Status check_power(int64_t power) {
  if (power != 1 && power != 2) {
    return invalid_argument("argument 'power' is {}; it must be 1, for magnitudes, or 2, for powers", power);
  }
  return ok_status();
}
inline kernels::SpectrumKind spectrum_of(int64_t power) {
  return power == 1 ? kernels::SpectrumKind::kMagnitude : kernels::SpectrumKind::kPower;
}

}  // namespace forebay::operators
