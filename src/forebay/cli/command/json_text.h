// JSON of names that may hold any bytes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "forebay/storage/object_store.h"

namespace forebay::cli {

/// Puts `name` into `json` under `field`; where it is not UTF-8, with replacement characters, and its exact
/// bytes in hexadecimal under `field`_hex.
void put_name(nlohmann::json& json, const std::string& field, std::string_view name);

/// {"name", "kind", "size", "modified_ns", "version"}; the last two where they are known.
nlohmann::json entry_json(std::string_view name, bool is_folder, const storage::ObjectStat& stat);

/// One line of text; bytes that are not UTF-8 are replaced.
std::string json_line(const nlohmann::json& json);

}  // namespace forebay::cli
