// Fields of files in JSON that the program writes and people may read. Text that is not UTF-8, which a path
// may be, stands as {"hex": "2fff"}.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "forebay/base/status.h"

namespace forebay::storage {

nlohmann::json json_of_text(const std::string& text);

// invalid_argument, naming the field, for values of another type.

Result<std::string> text_of_json(const nlohmann::json& value, std::string_view field);
Result<bool> flag_of_json(const nlohmann::json& value, std::string_view field);
Result<uint64_t> number_of_json(const nlohmann::json& value, std::string_view field);

/// The value of a lower-case hexadecimal digit; -1 for anything else.
int hex_digit(char c);

}  // namespace forebay::storage
