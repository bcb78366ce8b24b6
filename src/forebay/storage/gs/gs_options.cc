#include "forebay/storage/gs/gs_options.h"

#include <algorithm>

#include "forebay/base/utf8.h"
#include "forebay/storage/remote/rate_options.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

constexpr size_t kMostGsKeyBytes = 1024;

bool is_gs_bucket_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

Status set_gs_option(GsOptions& options, const std::string& name, const std::string& value) {
  if (name == "endpoint") {
    options.endpoint = value;
  } else if (name == "access_token") {
    options.access_token = value;
  } else if (name == "credentials_file") {
    options.credentials_file = value;
  } else if (name == "anonymous" && (value == "true" || value == "false")) {
    options.anonymous = value == "true";
  } else {
    return name == "anonymous" ? invalid_argument("anonymous: '{}' is neither 'true' nor 'false'", value)
                               : check_option_name("gs", name, gs_option_specs());
  }
  return ok_status();
}

}  // namespace

std::vector<StoreOptionSpec> gs_option_specs() {
  std::vector<StoreOptionSpec> specs = {
      {"endpoint", "URL of the server, where it is not Google's own"},
      {"anonymous", "true: requests carry no token, for public buckets"},
      {"credentials_file", "key file of a service account or of a user, in JSON"},
      {"access_token", "token that requests carry", true}};
  const std::vector<StoreOptionSpec> rates = rate_option_specs();
  specs.insert(specs.end(), rates.begin(), rates.end());
  return specs;
}

Result<GsOptions> parse_gs_options(StoreOptions given) {
  GsOptions options;
  FOREBAY_ASSIGN_OR_RETURN(options.limits, take_rate_limits(&given));
  for (const auto& [name, value] : given) {
    FOREBAY_RETURN_IF_ERROR(set_gs_option(options, name, value));
  }
  return options;
}

Result<Endpoint> gs_endpoint(const GsOptions& options, const Environment& environment) {
  std::string url = options.endpoint;
  if (url.empty()) {
    url = environment("STORAGE_EMULATOR_HOST").value_or("https://storage.googleapis.com");
    url = url.find("://") == std::string::npos ? "http://" + url : url;
  }
  return parse_endpoint(url, "Google Cloud Storage");
}

Status check_gs_bucket(std::string_view bucket) {
  const bool is_name = bucket.size() >= 3 && bucket.size() <= 222 &&
                       std::all_of(bucket.begin(), bucket.end(), is_gs_bucket_character);
  return is_name ? ok_status()
                 : invalid_argument(
                       "'{}' is no name of a bucket; URIs of Google Cloud Storage read gs://bucket/key",
                       name_for_message(bucket));
}

Status check_gs_key(std::string_view key, std::string_view uri) {
  const bool is_key = !key.empty() && key.size() <= kMostGsKeyBytes && is_utf8(key) &&
                      key.find_first_of(std::string_view("\0\r\n", 3)) == std::string_view::npos &&
                      key != "." && key != "..";
  return is_key
             ? ok_status()
             : invalid_argument("{}: a key has 1 to {} bytes of UTF-8 without line breaks; this one has {}",
                                uri, kMostGsKeyBytes, key.size());
}

}  // namespace forebay::storage
