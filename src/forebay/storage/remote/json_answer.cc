#include "forebay/storage/remote/json_answer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "forebay/net/http_fields.h"

namespace forebay::storage {

using nlohmann::json;

json parse_json_object(std::string_view text, size_t most_bytes, int most_levels) {
  json discarded(json::value_t::discarded);
  if (text.size() > most_bytes) {
    return discarded;
  }
  bool is_too_deep = false;
  const auto is_shallow = [&](int depth, json::parse_event_t, const json&) {
    is_too_deep = is_too_deep || depth > most_levels;
    return depth <= most_levels;
  };
  json object = json::parse(text.begin(), text.end(), is_shallow, /*allow_exceptions=*/false);
  return object.is_object() && !is_too_deep ? object : discarded;
}

std::string json_text(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<uint64_t> json_number(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) {
    return std::nullopt;
  }
  if (found->is_number_unsigned()) {
    return found->get<uint64_t>();
  }
  return found->is_string() ? net::parse_decimal(found->get_ref<const std::string&>()) : std::nullopt;
}

bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

}  // namespace forebay::storage
