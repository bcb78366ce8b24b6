// The layouts in which operators on images accept their input.
#pragma once

#include <initializer_list>
#include <string_view>

#include "forebay/operators/sample.h"

namespace forebay::operators {

/// The layout of `input` when it is one of `allowed`; without a layout, the first of `allowed` with that many
/// axes. invalid_argument otherwise.
Result<Layout> image_layout(const Tensor& input, std::initializer_list<std::string_view> allowed);

}  // namespace forebay::operators
