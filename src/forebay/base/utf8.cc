#include "forebay/base/utf8.h"

#include <algorithm>
#include <cstdint>

namespace forebay {
namespace {

struct Form {
  size_t length;  // of the whole sequence; 0: not a first byte
  uint8_t least;  // range of the second byte
  uint8_t most;
};

// RFC 3629, section 4.
Form form_of(uint8_t first) {
  if (first < 0x80) {
    return {1, 0, 0};
  }
  if (first >= 0xC2 && first <= 0xDF) {
    return {2, 0x80, 0xBF};
  }
  if (first >= 0xE0 && first <= 0xEF) {
    return {3, static_cast<uint8_t>(first == 0xE0 ? 0xA0 : 0x80),
            static_cast<uint8_t>(first == 0xED ? 0x9F : 0xBF)};
  }
  if (first >= 0xF0 && first <= 0xF4) {
    return {4, static_cast<uint8_t>(first == 0xF0 ? 0x90 : 0x80),
            static_cast<uint8_t>(first == 0xF4 ? 0x8F : 0xBF)};
  }
  return {0, 0, 0};
}

/// U+0000 to U+001F and U+007F to U+009F, of text that begins with a well-formed character.
bool is_control(std::string_view text) {
  const auto first = static_cast<uint8_t>(text[0]);
  return first < ' ' || first == 0x7F || (first == 0xC2 && static_cast<uint8_t>(text[1]) < 0xA0);
}

}  // namespace

size_t first_character_bytes(std::string_view text) {
  const Form form = text.empty() ? Form{} : form_of(static_cast<uint8_t>(text[0]));
  if (form.length > text.size()) {
    return 0;
  }
  for (size_t i = 1; i < form.length; ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    const bool fits = i == 1 ? byte >= form.least && byte <= form.most : byte >= 0x80 && byte <= 0xBF;
    if (!fits) {
      return 0;
    }
  }
  return form.length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = first_character_bytes(text);
    if (length == 0) {
      return false;
    }
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string shown(text);
  for (size_t place = 0; place < shown.size();) {
    const std::string_view rest = std::string_view(shown).substr(place);
    const size_t length = first_character_bytes(rest);
    const size_t bytes = std::max<size_t>(1, length);
    if (length == 0 || is_control(rest)) {
      shown.replace(place, bytes, bytes, '?');
    }
    place += bytes;
  }
  return shown;
}

}  // namespace forebay
