// Values of JSON as types of C++, or an error that says what was wanted and what was found.
#include "forebay/serving/protocol/json_values.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "forebay/base/utf8.h"

namespace forebay::serving {
namespace {

using nlohmann::json;

constexpr size_t kMaxSmallBodyBytes = size_t{1} << 20;
constexpr int kMaxSmallBodyDepth = 32;
constexpr size_t kMaxQuotedBytes = 300;
constexpr uint64_t kMaxInteger = std::numeric_limits<int64_t>::max();

Status not_a(std::string_view what, std::string_view wanted, const json& found) {
  return invalid_argument("{} must be {}, not {}", what, wanted, clipped(to_text(found)));
}

}  // namespace

const json* member_of(const json& object, std::string_view name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

Result<std::string> text_from_json(const json& value, std::string_view what) {
  if (!value.is_string()) {
    return not_a(what, "a string", value);
  }
  return value.get<std::string>();
}

Result<bool> flag_from_json(const json& value, std::string_view what) {
  if (!value.is_boolean()) {
    return not_a(what, "true or false", value);
  }
  return value.get<bool>();
}

Result<int64_t> integer_from_json(const json& value, std::string_view what) {
  if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<uint64_t>() > kMaxInteger)) {
    return not_a(what, "an integer of 64 bits", value);
  }
  return value.get<int64_t>();
}

Result<uint64_t> count_from_json(const json& value, std::string_view what) {
  if (!value.is_number_unsigned()) {
    return not_a(what, "an integer of 0 or more", value);
  }
  return value.get<uint64_t>();
}

Result<Parameter> parameter_from_json(const json& value, std::string_view what) {
  if (value.is_boolean()) {
    return Parameter(value.get<bool>());
  }
  if (value.is_string()) {
    return Parameter(value.get<std::string>());
  }
  if (value.is_number_float()) {
    return Parameter(value.get<double>());
  }
  if (value.is_number()) {
    FOREBAY_ASSIGN_OR_RETURN(const int64_t integer, integer_from_json(value, what));
    return Parameter(integer);
  }
  return not_a(what, "true, false, a number or a string", value);
}

Result<std::vector<int64_t>> shape_from_json(const json& value, std::string_view what) {
  if (!value.is_array()) {
    return not_a(what, "an array of integers", value);
  }
  std::vector<int64_t> shape;
  for (const json& extent : value) {
    FOREBAY_ASSIGN_OR_RETURN(const int64_t integer, integer_from_json(extent, what));
    if (integer < 0) {
      return invalid_argument("{} has the extent {}, which is negative", what, integer);
    }
    shape.push_back(integer);
  }
  return shape;
}

json to_json_value(const Parameter& parameter) {
  return std::visit([](const auto& value) { return json(value); }, parameter);
}

Result<json> object_from_body(std::string_view body, std::string_view what) {
  if (body.empty()) {
    return json::object();
  }
  if (body.size() > kMaxSmallBodyBytes) {
    return invalid_argument("{} has {} bytes; at most {} are taken", what, body.size(), kMaxSmallBodyBytes);
  }
  bool is_too_deep = false;
  const auto check_depth = [&is_too_deep](int depth, json::parse_event_t, json&) {
    is_too_deep = is_too_deep || depth > kMaxSmallBodyDepth;
    return depth <= kMaxSmallBodyDepth;
  };
  json value = json::parse(body, check_depth, /*allow_exceptions=*/false);
  if (is_too_deep) {
    return invalid_argument("{} is nested deeper than {} levels", what, kMaxSmallBodyDepth);
  }
  if (!value.is_object()) {
    return invalid_argument("{} must be a JSON object", what);
  }
  return value;
}

std::string to_text(const json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace);
}

std::string clipped(std::string_view text) {
  return text.size() <= kMaxQuotedBytes ? printable(text)
                                        : printable(text.substr(0, kMaxQuotedBytes)) + "...";
}

}  // namespace forebay::serving
