// Numbers of bytes for people.
#pragma once

#include <cstdint>
#include <string>

namespace forebay::cli {

/// "17 B", "1.5 KiB", "3.0 GiB".
std::string size_text(uint64_t bytes);

}  // namespace forebay::cli
