#include "forebay/net/server/field_values.h"

#include <openssl/crypto.h>

#include <algorithm>

#include "absl/strings/match.h"

namespace forebay::net {
namespace {

std::string_view without_space(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

bool is_same_name(std::string_view first, std::string_view second) {
  return absl::EqualsIgnoreCase(absl::string_view(first.data(), first.size()),
                                absl::string_view(second.data(), second.size()));
}

size_t count_fields(const std::vector<HttpHeader>& headers, std::string_view name) {
  return static_cast<size_t>(std::ranges::count_if(
      headers, [&](const HttpHeader& field) { return is_same_name(field.name, name); }));
}

std::vector<std::string_view> list_members(std::string_view value) {
  std::vector<std::string_view> members;
  for (size_t begin = 0; begin < value.size();) {
    const size_t end = std::min(value.find(',', begin), value.size());
    if (const std::string_view member = without_space(value.substr(begin, end - begin)); !member.empty()) {
      members.push_back(member);
    }
    begin = end + 1;
  }
  return members;
}

bool is_bearer(std::string_view authorization, std::string_view token) {
  constexpr std::string_view kScheme = "Bearer ";
  if (authorization.size() < kScheme.size() ||
      !is_same_name(authorization.substr(0, kScheme.size()), kScheme)) {
    return false;
  }
  const std::string_view given = without_space(authorization.substr(kScheme.size()));
  return given.size() == token.size() && CRYPTO_memcmp(given.data(), token.data(), token.size()) == 0;
}

}  // namespace forebay::net
