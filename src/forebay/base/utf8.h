// Detects UTF-8, because file names may contain any bytes; makes text fit for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace forebay {

/// True for well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF).
bool is_utf8(std::string_view text);

/// How many bytes the first character has; 0 where the text is empty or begins with none that is well-formed.
size_t first_character_bytes(std::string_view text);

/// The text with a `?` for each byte of control characters (U+0000 to U+001F, U+007F to U+009F) and of what
/// is not UTF-8.
std::string printable(std::string_view text);

}  // namespace forebay
