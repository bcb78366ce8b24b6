#include "forebay/net/http_fields.h"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "forebay/base/units.h"

namespace forebay::net {
namespace {

constexpr int64_t kLongestRetryAfterS = 3600;
constexpr size_t kLongestDate = 64;

bool is_etag_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte != '"' && byte != 0x7f;
}

}  // namespace

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

std::optional<uint64_t> parse_decimal(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<ContentRange> parse_content_range(std::string_view text) {
  constexpr std::string_view kUnit = "bytes ";
  const size_t slash = text.find('/');
  if (!text.starts_with(kUnit) || slash == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view range = text.substr(kUnit.size(), slash - kUnit.size());
  const std::string_view size = text.substr(slash + 1);
  ContentRange parsed;
  if (size != "*") {
    parsed.size_bytes = parse_decimal(size);
    if (!parsed.size_bytes) {
      return std::nullopt;
    }
  }
  if (range == "*") {
    return parsed.size_bytes ? std::optional(parsed) : std::nullopt;
  }
  const size_t dash = range.find('-');
  if (dash == std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<uint64_t> first = parse_decimal(range.substr(0, dash));
  const std::optional<uint64_t> last = parse_decimal(range.substr(dash + 1));
  if (!first || !last || *first > *last || *last == UINT64_MAX ||
      (parsed.size_bytes && *last >= *parsed.size_bytes)) {
    return std::nullopt;
  }
  parsed.has_range = true;
  parsed.first = *first;
  parsed.last = *last;
  return parsed;
}

std::optional<int64_t> parse_http_date(std::string_view text) {
  if (text.empty() || text.size() > kLongestDate || text.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  const time_t seconds = curl_getdate(std::string(text).c_str(), nullptr);
  return seconds < 0 ? std::nullopt : std::optional<int64_t>(seconds);
}

std::optional<int64_t> parse_retry_after(std::string_view text, int64_t now_unix_s) {
  const bool is_number =
      !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  int64_t seconds = 0;
  if (is_number) {
    seconds = static_cast<int64_t>(
        std::min<uint64_t>(parse_decimal(text).value_or(UINT64_MAX), kLongestRetryAfterS));
  } else {
    const std::optional<int64_t> date = parse_http_date(text);
    if (!date) {
      return std::nullopt;
    }
    seconds = *date - now_unix_s;
  }
  return std::clamp<int64_t>(seconds, 0, kLongestRetryAfterS) * kSecond;
}

bool is_strong_etag(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"' &&
         std::ranges::all_of(text.substr(1, text.size() - 2), is_etag_character);
}

bool is_weak_etag(std::string_view text) {
  return text.starts_with("W/") && is_strong_etag(text.substr(2));
}

}  // namespace forebay::net
