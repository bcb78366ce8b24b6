// The input layouts that image operators accept.
#pragma once

#include <initializer_list>
#include <string_view>

#include "forebay/operators/sample.h"

namespace forebay::operators {

/// The layout of `input` if it is one of `allowed`; without a layout, the first of `allowed` with as many
/// axes. Otherwise invalid_argument.
Result<Layout> image_layout(const Tensor& input, std::initializer_list<std::string_view> allowed);

}  // namespace forebay::operators
