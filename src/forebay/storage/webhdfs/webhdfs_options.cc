#include "forebay/storage/webhdfs/webhdfs_options.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "forebay/base/utf8.h"
#include "forebay/storage/remote/connection_options.h"
#include "forebay/storage/remote/json_answer.h"

namespace forebay::storage {
namespace {

constexpr size_t kMaxNamenodes = 8;
constexpr size_t kMaxWebhdfsKeyBytes = 8000;  // HDFS's own limit
constexpr size_t kMaxWebhdfsTokenBytes = 64 << 10;

bool names_a_port(std::string_view host) {
  const size_t bracket = host.rfind(']');  // of an IPv6 address
  const size_t begin = bracket == std::string_view::npos ? 0 : bracket;
  return host.find(':', begin) != std::string_view::npos;
}

Result<std::vector<Endpoint>> parse_namenodes(std::string_view scheme, std::string_view authority) {
  const bool is_tls = scheme == "swebhdfs";
  std::vector<Endpoint> namenodes;
  size_t begin = 0;
  while (begin <= authority.size()) {
    const size_t end = std::min(authority.find(',', begin), authority.size());
    const std::string_view host = authority.substr(begin, end - begin);
    begin = end + 1;
    if (host.empty() || namenodes.size() == kMaxNamenodes) {
      return invalid_argument(
          "the URI names no namenode; it reads {0}://host:port/path, or {0}://host:port,host:port/path for "
          "up to "
          "{1} namenodes of one cluster",
          scheme, kMaxNamenodes);
    }
    const std::string port = names_a_port(host) ? "" : is_tls ? ":9871" : ":9870";
    FOREBAY_ASSIGN_OR_RETURN(
        Endpoint endpoint,
        parse_endpoint(fmt::format("{}://{}{}", is_tls ? "https" : "http", host, port), "HDFS"));
    namenodes.push_back(std::move(endpoint));
  }
  return namenodes;
}

std::string hadoop_user_of(const Environment& environment) {
  for (const char* const name : {"HADOOP_USER_NAME", "USER", "LOGNAME"}) {
    if (std::optional<std::string> user = environment(name)) {
      return *std::move(user);
    }
  }
  return {};
}

bool is_webhdfs_component(std::string_view text) {
  return !text.empty() && text != "." && text != "..";
}

}  // namespace

OptionTable<WebhdfsOptions> webhdfs_options() {
  return with_connection_options<WebhdfsOptions>(
      {text_option({.name = "user",
                    .help = "name of the user who asks, for clusters without Kerberos",
                    .variables = {"HADOOP_USER_NAME", "USER", "LOGNAME"}},
                   &WebhdfsOptions::user),
       text_option({.name = "delegation_token",
                    .help = "token of the namenode that says who asks",
                    .is_secret = true},
                   &WebhdfsOptions::delegation_token),
       switch_option({.name = "token_in_clear", .help = "the token may travel to another host without TLS"},
                     &WebhdfsOptions::token_in_clear)});
}

Result<WebhdfsConfiguration> configure_webhdfs(std::string_view scheme, std::string_view authority,
                                               const WebhdfsOptions& options,
                                               const Environment& environment) {
  WebhdfsConfiguration configuration = {.scheme = std::string(scheme), .authority = std::string(authority)};
  FOREBAY_ASSIGN_OR_RETURN(configuration.namenodes, parse_namenodes(scheme, authority));
  if (options.delegation_token.empty()) {
    configuration.user = options.user.empty() ? hadoop_user_of(environment) : options.user;
    return configuration;
  }
  if (options.delegation_token.size() > kMaxWebhdfsTokenBytes || !is_one_line(options.delegation_token)) {
    return invalid_argument("the delegation token is none: it is one line of at most {} bytes",
                            kMaxWebhdfsTokenBytes);
  }
  const bool is_safe = std::all_of(configuration.namenodes.begin(), configuration.namenodes.end(),
                                   [](const Endpoint& namenode) { return may_take_secrets(namenode.url()); });
  if (!is_safe && !options.token_in_clear) {
    return invalid_argument(
        "a delegation token does not travel in the clear: use swebhdfs://, or allow it by the option "
        "token_in_clear=true");
  }
  configuration.token = options.delegation_token;
  return configuration;
}

Status check_webhdfs_key(std::string_view key, std::string_view uri) {
  bool is_key = key.size() <= kMaxWebhdfsKeyBytes && is_utf8(key) && key.find('\0') == std::string_view::npos;
  std::string_view rest = key.ends_with('/') ? key.substr(0, key.size() - 1) : key;
  while (is_key && !key.empty()) {
    const size_t slash = std::min(rest.find('/'), rest.size());
    is_key = is_webhdfs_component(rest.substr(0, slash));
    if (slash == rest.size()) {
      break;
    }
    rest.remove_prefix(slash + 1);
  }
  return is_key ? ok_status()
                : invalid_argument(
                      "{}: HDFS has no such names: a path has at most {} bytes of UTF-8, and no "
                      "part of it is empty, '.' or '..'",
                      uri, kMaxWebhdfsKeyBytes);
}

}  // namespace forebay::storage
