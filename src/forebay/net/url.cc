#include "forebay/net/url.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>

#include "absl/strings/match.h"

namespace forebay::net {
namespace {

constexpr char kDigits[] = "0123456789ABCDEF";
constexpr size_t kLongestUrl = 1 << 16;

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || c == '~';
}

bool may_stand_in_url(char c) {
  return is_unreserved(c) || std::string_view(":/?@!$&'()*+,;=%[]").find(c) != std::string_view::npos;
}

void append_escape(std::string* text, char c) {
  const auto byte = static_cast<unsigned char>(c);
  *text += '%';
  *text += kDigits[byte >> 4];
  *text += kDigits[byte & 15];
}

template <class Keeps>
std::string encoded(std::string_view text, const Keeps& keeps) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (keeps(c)) {
      result += c;
    } else {
      append_escape(&result, c);
    }
  }
  return result;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

struct UrlDeleter {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using UrlHandle = std::unique_ptr<CURLU, UrlDeleter>;

Result<UrlHandle> parsed(const std::string& url) {
  UrlHandle handle(curl_url());
  if (!handle) {
    return resource_exhausted("no memory for a URL");
  }
  const CURLUcode code = curl_url_set(handle.get(), CURLUPART_URL, url.c_str(), 0);
  if (code != CURLUE_OK) {
    return invalid_argument("not a URL: {}", curl_url_strerror(code));
  }
  return handle;
}

std::string part_of(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) {
    return {};
  }
  std::string copy(text);
  curl_free(text);
  return copy;
}

Status check_scheme(CURLU* url) {
  const std::string scheme = part_of(url, CURLUPART_SCHEME);
  return scheme == "http" || scheme == "https"
             ? ok_status()
             : invalid_argument("a URL of {} where http or https is wanted", scheme);
}

}  // namespace

std::string percent_encoded(std::string_view text, bool keeps_slashes) {
  return encoded(text, [&](char c) { return is_unreserved(c) || (keeps_slashes && c == '/'); });
}

std::string percent_encoded_where_needed(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0;
    if (text[i] == '%' ? is_escape : may_stand_in_url(text[i])) {
      result += text[i];
    } else {
      append_escape(&result, text[i]);
    }
  }
  return result;
}

Result<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (text.size() - i < 3 || hex_value(text[i + 1]) < 0 || hex_value(text[i + 2]) < 0) {
      return invalid_argument("a '%' without two hexadecimal digits");
    }
    decoded += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
    i += 2;
  }
  return decoded;
}

Status check_url(std::string_view url) {
  if (url.size() > kLongestUrl) {
    return invalid_argument("a URL of {} bytes; at most {} are taken", url.size(), kLongestUrl);
  }
  const bool is_printable = std::ranges::all_of(url, [](char c) { return c > 0x20 && c < 0x7f; });
  if (!is_printable) {
    return invalid_argument("a URL with bytes that must be percent-encoded");
  }
  FOREBAY_ASSIGN_OR_RETURN(const UrlHandle handle, parsed(std::string(url)));
  return check_scheme(handle.get());
}

Result<std::string> resolve_url(const std::string& base, const std::string& reference) {
  FOREBAY_ASSIGN_OR_RETURN(const UrlHandle handle, parsed(base));
  const std::string encoded_reference =
      percent_encoded_where_needed(reference.substr(0, reference.find('#')));
  const CURLUcode code = curl_url_set(handle.get(), CURLUPART_URL, encoded_reference.c_str(), 0);
  if (code != CURLUE_OK) {
    return invalid_argument("a redirect to what is no URL: {}", curl_url_strerror(code));
  }
  FOREBAY_RETURN_IF_ERROR(check_scheme(handle.get()));
  const std::string resolved = part_of(handle.get(), CURLUPART_URL);
  FOREBAY_RETURN_IF_ERROR(check_url(resolved));
  return resolved;
}

Result<std::string> origin_of(const std::string& url) {
  FOREBAY_ASSIGN_OR_RETURN(const UrlHandle handle, parsed(url));
  FOREBAY_RETURN_IF_ERROR(check_scheme(handle.get()));
  std::string host = part_of(handle.get(), CURLUPART_HOST);
  std::ranges::transform(host, host.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return part_of(handle.get(), CURLUPART_SCHEME) + "://" + host + ":" +
         part_of(handle.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
}

bool is_of_this_host(const std::string& url) {
  const Result<UrlHandle> handle = parsed(url);
  if (!handle.ok()) {
    return false;
  }
  const std::string host = part_of(handle->get(), CURLUPART_HOST);
  return absl::EqualsIgnoreCase(host, "localhost") || host == "127.0.0.1" || host == "[::1]";
}

std::string url_for_message(std::string_view url) {
  const std::string_view shown = url.substr(0, url.find_first_of("?#"));
  const size_t scheme = shown.find("://");
  const size_t host = scheme == std::string_view::npos ? 0 : scheme + 3;
  const size_t end = std::min(shown.find('/', host), shown.size());
  const size_t at = shown.substr(0, end).rfind('@');
  if (at == std::string_view::npos || at < host) {
    return std::string(shown);
  }
  return std::string(shown.substr(0, host)).append(shown.substr(at + 1));
}

}  // namespace forebay::net
