// Numbers for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace forebay::cli {

/// "17 B", "1.5 KiB", "3.0 GiB".
std::string size_text(uint64_t bytes);

/// As options take it, of a size above 0: "64GiB", "1500".
std::string exact_size_text(uint64_t bytes);

/// "1 entry", "3 entries".
std::string count_text(uint64_t count, std::string_view one, std::string_view several);

}  // namespace forebay::cli
