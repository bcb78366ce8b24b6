// The elements of a tensor as text of JSON.
#pragma once

#include <string>

#include "forebay/serving/inference/inference.h"

namespace forebay::serving {

/// Appends a flat array of all elements. Floats are written as short as they can be to come back the same.
/// invalid_argument, with the output's name and the advice to ask for binary data, for what JSON cannot say:
/// NaN and infinities, bytes that are not UTF-8, elements of FP16 and BF16. `text` is unspecified then.
Status append_elements(const NamedTensor& tensor, std::string& text);

}  // namespace forebay::serving
