// Replaces what is not UTF-8.
#include "forebay/serving/grpc/valid_text.h"

#include "forebay/base/utf8.h"

namespace forebay::serving {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

std::string valid_text(std::string_view text) {
  if (is_utf8(text)) {
    return std::string(text);
  }
  std::string valid;
  while (!text.empty()) {
    const size_t length = first_character_bytes(text);
    valid += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return valid;
}

}  // namespace forebay::serving
