// Answers of services in JSON, and files of keys: parsed with limits, and never an exception.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace forebay::storage {

/// The object that the text is; a discarded value for what is none, is longer than `most_bytes` or deeper
/// than `most_levels`.
nlohmann::json parse_json_object(std::string_view text, size_t most_bytes, int most_levels);

/// The text of that name; empty where there is none.
std::string json_text(const nlohmann::json& object, const char* name);

/// The number of that name, written as one or as a text.
std::optional<uint64_t> json_number(const nlohmann::json& object, const char* name);

/// Whether the text can stand in a header: no control characters.
bool is_one_line(std::string_view text);

}  // namespace forebay::storage
