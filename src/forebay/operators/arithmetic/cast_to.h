// Converts a sample's input 0 to another type, for operators that do only that.
#pragma once

#include "forebay/operators/sample.h"

namespace forebay::operators {

/// Output 0 is input 0 as `dtype`, saturated; forwarded if it already has that type.
Status cast_to(Sample& sample, DType dtype);

}  // namespace forebay::operators
