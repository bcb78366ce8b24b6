#include "forebay/net/server/request_target.h"

#include <algorithm>
#include <utility>

#include "forebay/net/url.h"

namespace forebay::net {
namespace {

bool is_target_character(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return byte > 0x20 && byte != 0x7f && byte != '#';
}

Result<std::string> decoded_part(std::string_view text) {
  FOREBAY_ASSIGN_OR_RETURN(std::string decoded, percent_decoded(text));
  if (decoded.find('\0') != std::string::npos) {
    return invalid_argument("a request's target holds the byte 0");
  }
  return decoded;
}

/// What follows "http://host", or the target itself.
std::string_view without_authority(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (target.starts_with(scheme)) {
      const size_t end = target.find_first_of("/?", scheme.size());
      return end == std::string_view::npos ? std::string_view("/") : target.substr(end);
    }
  }
  return target;
}

}  // namespace

Result<RequestTarget> parse_target(std::string_view target) {
  if (!std::ranges::all_of(target, is_target_character)) {
    return invalid_argument("a request's target holds a character that may not stand there");
  }
  if (target == "*") {
    return RequestTarget{.raw_path = "*", .path = "*", .query = {}};
  }
  const std::string_view local = without_authority(target);
  const size_t question = std::min(local.find('?'), local.size());
  RequestTarget parsed;
  parsed.raw_path = local.substr(0, question);
  parsed.query = local.substr(std::min(question + 1, local.size()));
  if (parsed.raw_path.empty() && local.size() != target.size()) {
    parsed.raw_path = "/";  // "http://host?query"
  }
  if (!parsed.raw_path.starts_with('/')) {
    return invalid_argument("a request's target does not begin with \"/\"");
  }
  FOREBAY_ASSIGN_OR_RETURN(parsed.path, decoded_part(parsed.raw_path));
  return parsed;
}

Result<std::vector<std::string>> path_segments(std::string_view raw_path) {
  std::vector<std::string> segments;
  if (raw_path.starts_with('/')) {
    raw_path.remove_prefix(1);
  }
  if (raw_path.empty()) {
    return segments;
  }
  for (size_t begin = 0; begin <= raw_path.size();) {
    const size_t end = std::min(raw_path.find('/', begin), raw_path.size());
    FOREBAY_ASSIGN_OR_RETURN(std::string segment, decoded_part(raw_path.substr(begin, end - begin)));
    segments.push_back(std::move(segment));
    begin = end + 1;
  }
  return segments;
}

Result<std::vector<HttpHeader>> parse_query(std::string_view query) {
  std::vector<HttpHeader> values;
  for (size_t begin = 0; begin < query.size();) {
    const size_t end = std::min(query.find('&', begin), query.size());
    std::string pair(query.substr(begin, end - begin));
    begin = end + 1;
    if (pair.empty()) {
      continue;
    }
    std::ranges::replace(pair, '+', ' ');
    const size_t sign = std::min(pair.find('='), pair.size());
    FOREBAY_ASSIGN_OR_RETURN(std::string name, decoded_part(std::string_view(pair).substr(0, sign)));
    FOREBAY_ASSIGN_OR_RETURN(std::string value,
                             decoded_part(std::string_view(pair).substr(std::min(sign + 1, pair.size()))));
    values.push_back({std::move(name), std::move(value)});
  }
  return values;
}

}  // namespace forebay::net
