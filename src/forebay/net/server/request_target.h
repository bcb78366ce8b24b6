// The target of a request, as its first line gives it (RFC 9112, 3.2): path and query.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forebay/net/http_message.h"

namespace forebay::net {

struct RequestTarget {
  std::string raw_path;  // as it came, percent-encoded; "*" for the server itself
  std::string path;      // decoded; a "%2F" in it can no longer be told from "/": see path_segments()
  std::string query;     // as it came, without the "?"
};

/// From origin-form (`/path?query`), absolute-form (`http://host/path?query`) or `*`. invalid_argument for
/// other forms, broken escapes, and for characters that may not stand there: controls, spaces, NUL, "#".
Result<RequestTarget> parse_target(std::string_view target);

/// The path cut at its slashes, each part decoded after that: "/a/b%2Fc" is {"a", "b/c"}, "/" is {}, and
/// "/a/" ends with an empty part. Dots mean nothing. invalid_argument as above.
Result<std::vector<std::string>> path_segments(std::string_view raw_path);

/// Names and values of a query, decoded, in order; "+" is a space, and a name alone has an empty value.
/// Limited by the header's bytes. invalid_argument for broken escapes.
Result<std::vector<HttpHeader>> parse_query(std::string_view query);

}  // namespace forebay::net
