// Addresses by their form.
#include "forebay/serving/grpc/listen_address.h"

#include <arpa/inet.h>

#include <cstdint>
#include <string_view>

#include "forebay/net/http_fields.h"

namespace forebay::serving {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr uint64_t kLastPort = 65'535;

bool is_port(std::string_view text) {
  return net::parse_decimal(text).value_or(kLastPort + 1) <= kLastPort;
}

bool is_ipv6(std::string_view text) {
  in6_addr address;
  const std::string without_zone(text.substr(0, text.find('%')));
  return inet_pton(AF_INET6, without_zone.c_str(), &address) == 1;
}

bool is_host(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) {
    return is_ipv6(text.substr(1, text.size() - 2));
  }
  in_addr address;
  return text == "localhost" || inet_pton(AF_INET, std::string(text).c_str(), &address) == 1;
}

bool is_listen_address(std::string_view text) {
  if (text.starts_with(kUnix)) {
    return text.size() > kUnix.size();
  }
  const size_t colon = text.rfind(':');
  return colon != std::string_view::npos && is_host(text.substr(0, colon)) && is_port(text.substr(colon + 1));
}

}  // namespace

Status check_listen_address(const std::string& address) {
  if (!is_listen_address(address)) {
    return invalid_argument(
        "gRPC: '{}' is no address to listen at: give an IPv4 address, an IPv6 address in brackets or "
        "localhost, "
        "each with ':PORT', or unix:PATH",
        address);
  }
  return ok_status();
}

}  // namespace forebay::serving
