// Values of JSON as types of C++, or an error that says what was wanted and what was found.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "forebay/serving/inference/inference.h"

namespace forebay::serving {

/// The member of an object; null where it has none.
const nlohmann::json* member_of(const nlohmann::json& object, std::string_view name);

/// Each refuses other types and values out of range with invalid_argument; `what` names the value in its
/// text.
Result<std::string> text_from_json(const nlohmann::json& value, std::string_view what);
Result<bool> flag_from_json(const nlohmann::json& value, std::string_view what);
Result<int64_t> integer_from_json(const nlohmann::json& value, std::string_view what);
Result<uint64_t> count_from_json(const nlohmann::json& value, std::string_view what);  // 0 or more
Result<Parameter> parameter_from_json(const nlohmann::json& value, std::string_view what);
/// An array of integers of 0 or more.
Result<std::vector<int64_t>> shape_from_json(const nlohmann::json& value, std::string_view what);

nlohmann::json to_json_value(const Parameter& parameter);

/// The JSON of a small body, an object; `{}` where it is empty. Depth and size are limited.
Result<nlohmann::json> object_from_body(std::string_view body, std::string_view what);

/// As dump(), but what is not UTF-8 becomes U+FFFD instead of an exception.
std::string to_text(const nlohmann::json& value);

/// The first 300 bytes or so of a text for a message, without control characters.
std::string clipped(std::string_view text);

}  // namespace forebay::serving
