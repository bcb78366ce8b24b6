#include "forebay/storage/s3/s3_options.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "forebay/net/url.h"
#include "forebay/storage/remote/connection_options.h"

namespace forebay::storage {
namespace {

constexpr char kDefaultRegion[] = "us-east-1";

Result<bool> parse_addressing(std::string_view text, std::string_view from) {
  if (text != "path" && text != "virtual") {
    return invalid_argument("{}: '{}'; S3's buckets are addressed by 'path' or 'virtual' host name", from,
                            text);
  }
  return text == "path";
}

std::string setting_or_empty(const ProfileSettings& settings, std::string_view name) {
  const auto found = settings.find(name);
  return found == settings.end() ? std::string() : found->second;
}

/// The first that is not empty.
template <class... Rest>
std::string first_of(std::string text, Rest... rest) {
  if constexpr (sizeof...(rest) > 0) {
    return text.empty() ? first_of(std::move(rest)...) : text;
  }
  return text;
}

std::string variable(const Environment& environment, const char* name) {
  return environment(name).value_or("");
}

std::string endpoint_text(const S3Options& options, const Environment& environment, const Profile& profile) {
  const bool ignores = says_true(environment, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
  return ignores ? options.endpoint
                 : first_of(options.endpoint, variable(environment, "AWS_ENDPOINT_URL_S3"),
                            variable(environment, "AWS_ENDPOINT_URL"),
                            setting_or_empty(profile.services, "s3.endpoint_url"),
                            setting_or_empty(profile.settings, "endpoint_url"));
}

Result<bool> is_path_style(const S3Options& options, const Environment& environment, const Profile& profile,
                           bool by_default) {
  if (options.path_style) {
    return *options.path_style;
  }
  if (const auto style = environment("FOREBAY_S3_ADDRESSING")) {
    return parse_addressing(*style, "FOREBAY_S3_ADDRESSING");
  }
  const std::string style = setting_or_empty(profile.settings, "s3.addressing_style");
  return style.empty() || style == "auto" ? Result<bool>(by_default)
                                          : parse_addressing(style, "addressing_style in " + profile.files);
}

bool is_bucket_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_';
}

bool is_host_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

/// A region becomes part of a host name and of what is signed.
Status check_region(std::string_view region) {
  if (region.empty() || region.size() > 64 ||
      !std::all_of(region.begin(), region.end(), is_bucket_character)) {
    return invalid_argument("'{}' is no region of S3", region);
  }
  return ok_status();
}

/// A certificate for *.host holds for one more label only, so names with dots go into the path.
bool fits_host_name(std::string_view bucket) {
  return bucket.size() >= 3 && bucket.size() <= 63 &&
         std::all_of(bucket.begin(), bucket.end(), is_host_name_character);
}

/// A text of the key that the options bring.
StoreOption<S3Options> key_option(StoreOptionSpec spec, std::string net::AwsCredentials::*field) {
  return {std::move(spec), [field](S3Options& options, const std::string& value) {
            options.credentials.*field = value;
            return ok_status();
          }};
}

StoreOption<S3Options> addressing_option() {
  return {{.name = "addressing",
           .help = "where requests name the bucket: in the path, or in the host's name (virtual)",
           .type = "path or virtual",
           .by_default = "virtual at AWS, else path",
           .variables = {"FOREBAY_S3_ADDRESSING"}},
          [](S3Options& options, const std::string& value) {
            FOREBAY_ASSIGN_OR_RETURN(options.path_style, parse_addressing(value, "addressing"));
            return ok_status();
          }};
}

}  // namespace

OptionTable<S3Options> s3_options() {
  return with_connection_options<S3Options>(
      {text_option({.name = "endpoint",
                    .help = "URL of the server, where it is not AWS's own",
                    .by_default = "https://s3.REGION.amazonaws.com",
                    .variables = {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}},
                   &S3Options::endpoint),
       text_option({.name = "region",
                    .help = "region of the bucket",
                    .by_default = kDefaultRegion,
                    .variables = {"AWS_REGION", "AWS_DEFAULT_REGION"}},
                   &S3Options::region),
       addressing_option(),
       text_option({.name = "profile",
                    .help = "profile in AWS's files",
                    .by_default = "default",
                    .variables = {"AWS_PROFILE"}},
                   &S3Options::profile),
       switch_option({.name = "anonymous",
                      .help = "requests are not signed, for public buckets",
                      .variables = {"FOREBAY_S3_ANONYMOUS"}},
                     &S3Options::anonymous),
       key_option({.name = "access_key_id", .help = "key's id", .variables = {"AWS_ACCESS_KEY_ID"}},
                  &net::AwsCredentials::access_key_id),
       key_option({.name = "secret_access_key",
                   .help = "key",
                   .is_secret = true,
                   .variables = {"AWS_SECRET_ACCESS_KEY"}},
                  &net::AwsCredentials::secret_access_key),
       key_option({.name = "session_token",
                   .help = "token of temporary keys",
                   .is_secret = true,
                   .variables = {"AWS_SESSION_TOKEN"}},
                  &net::AwsCredentials::session_token)});
}

Endpoint S3Configuration::endpoint_in(std::string_view in_region) const {
  if (endpoint) {
    return *endpoint;
  }
  const std::string_view suffix = in_region.starts_with("cn-") ? ".cn" : "";
  return {.host = fmt::format("s3.{}.amazonaws.com{}", in_region, suffix)};
}

Result<S3Configuration> configure_s3(const S3Options& options, const Environment& environment,
                                     const Profile& profile) {
  S3Configuration configuration;
  const std::string endpoint = endpoint_text(options, environment, profile);
  if (!endpoint.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(configuration.endpoint, parse_endpoint(endpoint, "S3"));
  }
  configuration.region = first_of(options.region, variable(environment, "AWS_REGION"),
                                  variable(environment, "AWS_DEFAULT_REGION"),
                                  setting_or_empty(profile.settings, "region"), std::string(kDefaultRegion));
  FOREBAY_RETURN_IF_ERROR(check_region(configuration.region));
  FOREBAY_ASSIGN_OR_RETURN(configuration.path_style,
                           is_path_style(options, environment, profile, configuration.endpoint.has_value()));
  return configuration;
}

std::string S3Location::url(std::string_view query) const {
  return fmt::format("{}://{}{}{}{}", scheme, host, path, query.empty() ? "" : "?", query);
}

Status check_bucket_name(std::string_view bucket) {
  const bool is_name = !bucket.empty() && bucket.size() <= 255 && bucket != "." && bucket != ".." &&
                       std::all_of(bucket.begin(), bucket.end(), is_bucket_character);
  if (bucket.find_first_of(":@") != std::string_view::npos) {
    return invalid_argument(
        "s3://***: a URI holds no keys; give them as options, or in AWS_ACCESS_KEY_ID and "
        "AWS_SECRET_ACCESS_KEY");
  }
  if (!is_name) {
    return invalid_argument("'{}' is no name of a bucket; S3's URIs read s3://bucket/key", bucket);
  }
  return ok_status();
}

S3Location locate(const S3Configuration& configuration, std::string_view region, std::string_view bucket,
                  std::string_view key) {
  Endpoint endpoint = configuration.endpoint_in(region);
  S3Location location = {std::move(endpoint.scheme), std::move(endpoint.host), std::move(endpoint.path)};
  if (configuration.path_style || !fits_host_name(bucket)) {
    location.path += fmt::format("/{}", bucket);
    location.path += key.empty() ? "" : "/";
  } else {
    location.host = fmt::format("{}.{}", bucket, location.host);
    location.path += "/";
  }
  location.path += net::percent_encoded(key);
  return location;
}

}  // namespace forebay::storage
