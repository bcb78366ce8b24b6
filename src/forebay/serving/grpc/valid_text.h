// Text of any origin, made fit for a string of protobuf.
#pragma once

#include <string>
#include <string_view>

namespace forebay::serving {

/// `text` with U+FFFD for each byte that belongs to no character of UTF-8, as answers over HTTP have it.
/// Clients refuse a whole message for one string that is not UTF-8 (proto3).
std::string valid_text(std::string_view text);

}  // namespace forebay::serving
