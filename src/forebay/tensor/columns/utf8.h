// Checks for well-formed UTF-8 by table 3-7 of the Unicode standard: no surrogates, no overlong forms, up to
// U+10FFFF.
#pragma once

#include <string_view>

namespace forebay::tensor {

bool is_utf8(std::string_view text);

}  // namespace forebay::tensor
