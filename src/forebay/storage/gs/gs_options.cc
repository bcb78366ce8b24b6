#include "forebay/storage/gs/gs_options.h"

#include <algorithm>

#include "forebay/base/utf8.h"
#include "forebay/storage/remote/connection_options.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

constexpr size_t kMaxGsKeyBytes = 1024;
constexpr char kOwnGsEndpoint[] = "https://storage.googleapis.com";

bool is_gs_bucket_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

}  // namespace

OptionTable<GsOptions> gs_options() {
  return with_connection_options<GsOptions>(
      {text_option({.name = "endpoint",
                    .help = "URL of the server, where it is not Google's own",
                    .by_default = kOwnGsEndpoint,
                    .variables = {"STORAGE_EMULATOR_HOST"}},
                   &GsOptions::endpoint),
       switch_option({.name = "anonymous",
                      .help = "requests carry no token, for public buckets",
                      .variables = {"FOREBAY_GS_ANONYMOUS"}},
                     &GsOptions::anonymous),
       text_option({.name = "credentials_file",
                    .help = "key file of a service account or of a user, in JSON",
                    .variables = {"GOOGLE_APPLICATION_CREDENTIALS"}},
                   &GsOptions::credentials_file),
       text_option({.name = "access_token",
                    .help = "token that requests carry",
                    .is_secret = true,
                    .variables = {"GOOGLE_OAUTH_ACCESS_TOKEN"}},
                   &GsOptions::access_token)});
}

Result<Endpoint> gs_endpoint(const GsOptions& options, const Environment& environment) {
  std::string url = options.endpoint;
  if (url.empty()) {
    url = environment("STORAGE_EMULATOR_HOST").value_or(kOwnGsEndpoint);
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
  const bool is_key = !key.empty() && key.size() <= kMaxGsKeyBytes && is_utf8(key) &&
                      key.find_first_of(std::string_view("\0\r\n", 3)) == std::string_view::npos &&
                      key != "." && key != "..";
  return is_key
             ? ok_status()
             : invalid_argument("{}: a key has 1 to {} bytes of UTF-8 without line breaks; this one has {}",
                                uri, kMaxGsKeyBytes, key.size());
}

}  // namespace forebay::storage
