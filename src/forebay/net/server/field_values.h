// Values of a request's header fields that the server itself reads (RFC 9110).
#pragma once

#include <string_view>
#include <vector>

#include "forebay/net/http_message.h"

namespace forebay::net {

bool is_same_name(std::string_view first, std::string_view second);

/// How many fields have that name.
size_t count_fields(const std::vector<HttpHeader>& headers, std::string_view name);

/// The members of a comma-separated list, without the space around them; empty ones are left out. They lie in
/// `value`.
std::vector<std::string_view> list_members(std::string_view value);

/// Whether the field holds "Bearer TOKEN" with this very token. The time it takes says nothing about where
/// they differ.
bool is_bearer(std::string_view authorization, std::string_view token);

}  // namespace forebay::net
