// URLs of http and https (RFC 3986).
#pragma once

#include <string>
#include <string_view>

#include "forebay/base/status.h"

namespace forebay::net {

/// Every byte but letters, digits, "-", "_", "." and "~" becomes %XX; "/" too, unless it is kept.
std::string percent_encoded(std::string_view text, bool keeps_slashes = true);

/// Encodes only what may not stand in a URL: spaces, control characters, bytes above 0x7f, quotes,
/// backslashes, braces, "#" and a "%" that begins no escape. Escapes that are there stay as they are.
std::string percent_encoded_where_needed(std::string_view text);

/// invalid_argument for a "%" that no two hexadecimal digits follow.
Result<std::string> percent_decoded(std::string_view text);

/// invalid_argument, with a reason but without the text, unless `url` is one of http or https with a host.
Status check_url(std::string_view url);

/// `reference`, as a Location header gives it, seen from `base`. invalid_argument if it leads out of http and
/// https.
Result<std::string> resolve_url(const std::string& base, const std::string& reference);

/// Scheme, host and port, as "https://host:443": what shares connections and may share secrets.
Result<std::string> origin_of(const std::string& url);

/// Whether the URL names this host itself: localhost, 127.0.0.1 or [::1], with any port.
bool is_of_this_host(const std::string& url);

/// The URL without user, password, query and fragment, which may hold secrets.
std::string url_for_message(std::string_view url);

}  // namespace forebay::net
