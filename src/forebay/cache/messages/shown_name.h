// Names of objects and files as people are shown them.
#pragma once

#include <cstddef>
#include <string>

namespace forebay::cache {

/// How much of a name is told.
inline constexpr size_t kMaxShownNameBytes = 120;

/// The end of a name, which may go to a terminal and into JSON: with `?` for each byte of control characters
/// and of what is not UTF-8.
std::string shown_name(const std::string& name);

}  // namespace forebay::cache
