// Text within bytes: the names of formats, chunks and boxes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "forebay/base/byte_source.h"

namespace forebay::codec {

/// The bytes as text, to search in.
inline std::string_view text_in(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Whether `text` lies at offset `at`.
inline bool has_text(Bytes bytes, size_t at, std::string_view text) {
  return at <= bytes.size() && bytes.size() - at >= text.size() &&
         std::equal(text.begin(), text.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char expected, std::byte found) { return std::byte(expected) == found; });
}

inline bool begins_with(Bytes bytes, std::string_view text) {
  return has_text(bytes, 0, text);
}

}  // namespace forebay::codec
