// Conversion of a sample's input 0 to a type, for the operators that do only that.
#pragma once

#include "forebay/operators/sample.h"

namespace forebay::operators {

/// Output 0 is input 0 as `dtype`, saturated; forwarded when it is that already.
Status cast_to(Sample& sample, DType dtype);

}  // namespace forebay::operators
