// Values of HTTP header fields (RFC 9110). What does not follow the grammar is no value.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace forebay::net {

/// Digits only; no value for anything else, and for what exceeds 64 bits.
std::optional<uint64_t> parse_decimal(std::string_view text);

/// `bytes 5-9/20`, `bytes 5-9/*` or `bytes */20` (RFC 9110, 14.4).
struct ContentRange {
  bool has_range = false;  // false: the requested range could not be satisfied
  uint64_t first = 0;      // first and last byte, both included
  uint64_t last = 0;
  std::optional<uint64_t> size_bytes;  // of the whole object, if known

  uint64_t length_bytes() const { return last - first + 1; }
};
std::optional<ContentRange> parse_content_range(std::string_view text);

/// The name of a field or a method: one or more of the characters of RFC 9110, 5.6.2.
bool is_token(std::string_view text);

/// Nanoseconds to wait; from seconds, or a date and the time now. Never negative, at most an hour.
std::optional<int64_t> parse_retry_after(std::string_view text, int64_t now_unix_s);

/// Seconds since the Unix epoch, of a date in any of HTTP's three formats (RFC 9110, 5.6.7).
std::optional<int64_t> parse_http_date(std::string_view text);

/// `"abc"`: an entity tag that changes with every byte. Weak tags and what is no tag are not strong.
bool is_strong_etag(std::string_view text);
/// `W/"abc"`.
bool is_weak_etag(std::string_view text);

}  // namespace forebay::net
