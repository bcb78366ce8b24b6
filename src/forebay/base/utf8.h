// Detects UTF-8, because file names may contain any bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace forebay {

/// True for well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF).
bool is_utf8(std::string_view text);

/// How many bytes the first character has; 0 where the text is empty or begins with none that is well-formed.
size_t first_character_bytes(std::string_view text);

}  // namespace forebay
