// RGB in bytes to CIE L*a*b* in bytes (L* of 255, a* and b* from 128) and back, in OpenCV's integers.
#pragma once

#include <cstdint>

namespace forebay::kernels {

/// `pixels` triples each; `in` and `out` may be the same memory. Thread safe; tables are made once.
void rgb_to_lab(const uint8_t* in, int64_t pixels, uint8_t* out);
void lab_to_rgb(const uint8_t* in, int64_t pixels, uint8_t* out);

}  // namespace forebay::kernels
