#include "forebay/storage/home/json_fields.h"

#include <nlohmann/json.hpp>

#include "forebay/base/utf8.h"

namespace forebay::storage {

using Json = nlohmann::json;

namespace {

Result<std::string> text_of_hex(const std::string& hex) {
  std::string text;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    const int high = hex_digit(hex[i]);
    const int low = hex_digit(hex[i + 1]);
    if (high < 0 || low < 0) {
      return invalid_argument("'hex' holds other characters than 0-9 and a-f");
    }
    text += static_cast<char>(high * 16 + low);
  }
  if (hex.size() % 2 != 0) {
    return invalid_argument("'hex' has an odd number of digits");
  }
  return text;
}

}  // namespace

int hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

Json json_of_text(const std::string& text) {
  if (is_utf8(text)) {
    return text;
  }
  std::string hex;
  for (const char c : text) {
    hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  return Json{{"hex", hex}};
}

Result<std::string> text_of_json(const Json& value, std::string_view field) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_object() && value.size() == 1 && value.contains("hex") && value["hex"].is_string()) {
    return text_of_hex(value["hex"].get<std::string>());
  }
  return invalid_argument("'{}' must be text", field);
}

Result<bool> flag_of_json(const Json& value, std::string_view field) {
  if (!value.is_boolean()) {
    return invalid_argument("'{}' must be true or false", field);
  }
  return value.get<bool>();
}

Result<uint64_t> number_of_json(const Json& value, std::string_view field) {
  if (!value.is_number_unsigned()) {
    return invalid_argument("'{}' must be a whole number, zero or more", field);
  }
  return value.get<uint64_t>();
}

}  // namespace forebay::storage
