// Words and numbers of the index files that other programs write, line by line.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace forebay::dataset {

/// Cuts the first line off `text`.
std::string_view next_line(std::string_view* text);

/// Cuts the first word off `line`; empty at its end.
std::string_view next_word(std::string_view* line);

/// Cuts the first word off `line`: a number that may be an offset or a size; none where it is anything else.
std::optional<uint64_t> next_number(std::string_view* line);

}  // namespace forebay::dataset
