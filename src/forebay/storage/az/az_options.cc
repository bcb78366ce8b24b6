#include "forebay/storage/az/az_options.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "fmt/format.h"
#include "forebay/base/utf8.h"
#include "forebay/net/url.h"
#include "forebay/storage/remote/connection_options.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

constexpr size_t kMaxAzKeyBytes = 3072;  // 1024 characters
constexpr char kOwnSuffix[] = "core.windows.net";
// The public cloud, China's and that of the USA's government.
constexpr const char* kSuffixes[] = {kOwnSuffix, "core.chinacloudapi.cn", "core.usgovcloudapi.net"};
// Those of Microsoft's emulator, which are the same everywhere and no secret.
constexpr char kEmulatorAccount[] = "devstoreaccount1";
constexpr char kEmulatorKey[] =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
constexpr char kEmulatorEndpoint[] = "http://localhost:10000/devstoreaccount1";

using Settings = std::map<std::string, std::string>;

/// "Name=value;Name=value", names in lower case.
Result<Settings> parse_connection_string(std::string_view text) {
  Settings settings;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const size_t equals = part.find('=');
    if (part.empty()) {
      continue;
    }
    if (equals == std::string_view::npos || equals == 0) {
      return invalid_argument("Azure's connection string is none: a part of it has no name or no value");
    }
    settings[absl::AsciiStrToLower(std::string(part.substr(0, equals)))] = part.substr(equals + 1);
  }
  return settings;
}

std::string setting(const Settings& settings, const std::string& name) {
  const auto found = settings.find(name);
  return found == settings.end() ? std::string() : found->second;
}

/// What `options` leave empty, from a connection string.
Status add_connection_string(AzOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const Settings settings, parse_connection_string(options.connection_string));
  const auto fill = [](std::string& field, std::string value) {
    field = field.empty() ? std::move(value) : field;
  };
  if (setting(settings, "usedevelopmentstorage") == "true") {
    fill(options.account, kEmulatorAccount);
    fill(options.account_key, kEmulatorKey);
    fill(options.endpoint, kEmulatorEndpoint);
  }
  fill(options.account, setting(settings, "accountname"));
  fill(options.account_key, setting(settings, "accountkey"));
  fill(options.sas_token, setting(settings, "sharedaccesssignature"));
  fill(options.endpoint, setting(settings, "blobendpoint"));
  if (options.endpoint.empty() && !options.account.empty()) {
    const std::string scheme = setting(settings, "defaultendpointsprotocol");
    const std::string suffix = setting(settings, "endpointsuffix");
    options.endpoint = fmt::format("{}://{}.blob.{}", scheme.empty() ? "https" : scheme, options.account,
                                   suffix.empty() ? kOwnSuffix : suffix);
  }
  return ok_status();
}

bool has_proof(const AzOptions& options) {
  return !options.account_key.empty() || !options.sas_token.empty() || !options.connection_string.empty();
}

/// What `options` leave empty, from the environment.
Status add_environment(AzOptions& options, const Environment& environment) {
  const auto fill = [&](std::string& field, const char* name) {
    field = field.empty() ? environment(name).value_or("") : field;
  };
  if (!options.anonymous && !has_proof(options)) {
    FOREBAY_ASSIGN_OR_RETURN(options.anonymous, switch_in(environment, "FOREBAY_AZ_ANONYMOUS"));
    fill(options.connection_string, "AZURE_STORAGE_CONNECTION_STRING");
    fill(options.account_key, "AZURE_STORAGE_KEY");
    fill(options.sas_token, "AZURE_STORAGE_SAS_TOKEN");
  }
  if (options.connection_string.empty()) {
    fill(options.account, "AZURE_STORAGE_ACCOUNT");
    fill(options.endpoint, "AZURE_STORAGE_ENDPOINT");
  }
  return ok_status();
}

/// The account that a URI names, in the place of one that `options` have from elsewhere. What the caller has
/// `given` is meant for it.
Status use_account(const AzPlace& place, const AzOptions& given, AzOptions& options) {
  const std::string known = options.account;
  const bool is_given = !given.account.empty() || !given.connection_string.empty();
  if (known == place.account || (known.empty() && (has_proof(given) || !has_proof(options)))) {
    options.endpoint = options.endpoint.empty() ? place.endpoint : options.endpoint;
  } else if (!is_given && (options.anonymous || has_proof(given) || !has_proof(options))) {
    // The environment's account has no part in this.
    options.endpoint = given.endpoint.empty() ? place.endpoint : given.endpoint;
  } else {
    return invalid_argument(
        "the URI names the storage account '{}', but {} is {}; a public container takes the option "
        "anonymous=true",
        place.account, is_given ? "what the options name" : "what the environment has credentials for",
        known.empty() ? "not known" : fmt::format("'{}'", known));
  }
  options.account = place.account;
  return ok_status();
}

Result<net::AwsFields> parse_sas(std::string_view text) {
  net::AwsFields fields;
  text.remove_prefix(text.starts_with('?') ? 1 : 0);
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const size_t equals = part.find('=');
    const Result<std::string> value =
        equals == std::string_view::npos ? std::string() : net::percent_decoded(part.substr(equals + 1));
    if (equals == std::string_view::npos || equals == 0 || !value.ok()) {
      return invalid_argument("Azure's SAS token is none: it reads sv=...&sig=...");
    }
    fields.emplace_back(part.substr(0, equals), *value);
  }
  return fields;
}

bool is_account_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

bool is_container_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

Status check_az_container(std::string_view container) {
  const bool is_name = container == "$root" || container == "$web" || container == "$logs" ||
                       (container.size() >= 3 && container.size() <= 63 &&
                        std::all_of(container.begin(), container.end(), is_container_character));
  return is_name ? ok_status()
                 : invalid_argument("'{}' is no name of a container; Azure's URIs read az://container/blob",
                                    name_for_message(container));
}

}  // namespace

Result<AzPlace> parse_az_place(const Uri& uri) {
  AzPlace place = {.container = std::string(bucket_of(uri))};
  FOREBAY_RETURN_IF_ERROR(check_az_container(place.container));
  if (place.container == uri.authority) {
    return place;
  }
  const std::string_view host = std::string_view(uri.authority).substr(place.container.size() + 1);
  for (const char* const suffix : kSuffixes) {
    for (const char* const service : {".dfs.", ".blob."}) {
      const std::string end = fmt::format("{}{}", service, suffix);
      if (host.ends_with(end) && is_account_name(host.substr(0, host.size() - end.size()))) {
        place.account = host.substr(0, host.size() - end.size());
        place.endpoint = fmt::format("https://{}.blob.{}", place.account, suffix);
        return place;
      }
    }
  }
  return invalid_argument(
      "'{}' is no host of a storage account; such URIs read "
      "abfs://container@account.dfs.core.windows.net/blob",
      name_for_message(host));
}

OptionTable<AzOptions> az_options() {
  return with_connection_options<AzOptions>(
      {text_option(
           {.name = "account", .help = "name of the storage account", .variables = {"AZURE_STORAGE_ACCOUNT"}},
           &AzOptions::account),
       text_option({.name = "endpoint",
                    .help = "URL of the account's blobs, where it is not Azure's own",
                    .by_default = "https://ACCOUNT.blob.core.windows.net",
                    .variables = {"AZURE_STORAGE_ENDPOINT"}},
                   &AzOptions::endpoint),
       switch_option({.name = "anonymous",
                      .help = "requests carry no proof, for public containers",
                      .variables = {"FOREBAY_AZ_ANONYMOUS"}},
                     &AzOptions::anonymous),
       text_option({.name = "account_key",
                    .help = "key of the account, in Base64",
                    .is_secret = true,
                    .variables = {"AZURE_STORAGE_KEY"}},
                   &AzOptions::account_key),
       text_option({.name = "sas_token",
                    .help = "shared access signature",
                    .is_secret = true,
                    .variables = {"AZURE_STORAGE_SAS_TOKEN"}},
                   &AzOptions::sas_token),
       text_option({.name = "connection_string",
                    .help = "account, endpoint and key in one text",
                    .is_secret = true,
                    .variables = {"AZURE_STORAGE_CONNECTION_STRING"}},
                   &AzOptions::connection_string)});
}

Result<AzConfiguration> configure_az(const AzOptions& given, const Environment& environment,
                                     const AzPlace& place) {
  AzOptions options = given;
  FOREBAY_RETURN_IF_ERROR(add_environment(options, environment));
  FOREBAY_RETURN_IF_ERROR(add_connection_string(options));
  if (!place.account.empty()) {
    FOREBAY_RETURN_IF_ERROR(use_account(place, given, options));
  }
  if (options.account.empty() && options.endpoint.empty()) {
    return invalid_argument(
        "no storage account: give it as the option 'account', in AZURE_STORAGE_ACCOUNT or in "
        "AZURE_STORAGE_CONNECTION_STRING");
  }
  if (!options.account.empty() && !is_account_name(options.account)) {
    return invalid_argument("'{}' is no name of a storage account", options.account);
  }
  AzConfiguration configuration = {.account = options.account};
  const std::string own = fmt::format("https://{}.blob.{}", options.account, kOwnSuffix);
  FOREBAY_ASSIGN_OR_RETURN(configuration.endpoint,
                           parse_endpoint(options.endpoint.empty() ? own : options.endpoint, "Azure"));
  if (options.anonymous) {
    return configuration;
  }
  FOREBAY_ASSIGN_OR_RETURN(configuration.sas, parse_sas(options.sas_token));
  if (!configuration.sas.empty() && !may_take_secrets(configuration.endpoint.url())) {
    return invalid_argument("a SAS token does not travel in the clear; the endpoint has to be https");
  }
  if (!absl::Base64Unescape(options.account_key, &configuration.key)) {
    return invalid_argument("the account's key is no Base64");
  }
  if (!configuration.key.empty() && options.account.empty()) {
    return invalid_argument("an account's key needs the account's name");
  }
  return configuration;
}

Status check_az_key(std::string_view key, std::string_view uri) {
  const bool is_key = !key.empty() && key.size() <= kMaxAzKeyBytes && is_utf8(key) &&
                      key.find('\0') == std::string_view::npos;
  return is_key ? ok_status()
                : invalid_argument("{}: a key has 1 to {} bytes of UTF-8, none of them NUL; this one has {}",
                                   uri, kMaxAzKeyBytes, key.size());
}

}  // namespace forebay::storage
