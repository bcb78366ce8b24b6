// What lies beyond the ends of an axis.
#pragma once

#include <cstdint>

namespace forebay::kernels {

enum class Border : uint8_t {
  kReflect101,   // dcb|abcd|cba
  kReflect1001,  // cba|abcd|dcb
  kWrap,         // bcd|abcd|abc
  kClamp,        // aaa|abcd|ddd
  kConstant,     // a value of its own
};

/// The place within [0, extent) that stands for `at`, which may lie outside; -1 for kConstant outside.
/// `extent` must be positive.
inline int64_t border_place(Border border, int64_t at, int64_t extent) {
  if (at >= 0 && at < extent) {
    return at;
  }
  switch (border) {
    case Border::kConstant:
      return -1;
    case Border::kClamp:
      return at < 0 ? 0 : extent - 1;
    case Border::kWrap:
      return (at % extent + extent) % extent;
    case Border::kReflect1001: {
      const int64_t period = 2 * extent;
      const int64_t within = (at % period + period) % period;
      return within < extent ? within : period - 1 - within;
    }
    case Border::kReflect101:
      break;
  }
  if (extent == 1) {
    return 0;
  }
  const int64_t period = 2 * (extent - 1);
  const int64_t within = (at % period + period) % period;
  return within < extent ? within : period - within;
}

}  // namespace forebay::kernels
