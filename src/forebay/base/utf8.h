// Detects UTF-8, because file names may contain any bytes.
#pragma once

#include <string_view>

namespace forebay {

/// True for well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF).
bool is_utf8(std::string_view text);

}  // namespace forebay
