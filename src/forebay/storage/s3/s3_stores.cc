#include "forebay/storage/s3/s3_stores.h"

#include <array>
#include <utility>

#include "forebay/base/log.h"
#include "forebay/storage/remote/open_stores.h"
#include "forebay/storage/remote/rate_options.h"
#include "forebay/storage/s3/s3_store.h"
#include "forebay/storage/s3_credentials/credential_sources.h"

namespace forebay::storage {
namespace {

constexpr std::array kVariables = {"AWS_ACCESS_KEY_ID",
                                   "AWS_SECRET_ACCESS_KEY",
                                   "AWS_SESSION_TOKEN",
                                   "AWS_REGION",
                                   "AWS_DEFAULT_REGION",
                                   "AWS_ENDPOINT_URL",
                                   "AWS_ENDPOINT_URL_S3",
                                   "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
                                   "AWS_ENDPOINT_URL_STS",
                                   "AWS_ROLE_ARN",
                                   "AWS_ROLE_SESSION_NAME",
                                   "AWS_WEB_IDENTITY_TOKEN_FILE",
                                   "AWS_PROFILE",
                                   "AWS_CONFIG_FILE",
                                   "AWS_SHARED_CREDENTIALS_FILE",
                                   "HOME",
                                   "FOREBAY_S3_ADDRESSING",
                                   "FOREBAY_S3_ANONYMOUS"};

/// AWS's files. Where nobody names a profile, and the keys are elsewhere or none are wanted, they need not be
/// readable.
Result<Profile> profile_of(const S3Options& options, const Environment& environment) {
  Result<Profile> profile = read_profile(options.profile, environment);
  FOREBAY_ASSIGN_OR_RETURN(const bool is_public, switch_in(environment, "FOREBAY_S3_ANONYMOUS"));
  const bool has_keys = options.anonymous || is_public || !options.credentials.access_key_id.empty() ||
                        environment("AWS_ACCESS_KEY_ID");
  if (profile.ok() || !has_keys || !options.profile.empty() || environment("AWS_PROFILE")) {
    return profile;
  }
  log_warning("{}; going on without it", message(profile.status()));
  return Profile();
}

}  // namespace

Result<std::shared_ptr<ObjectStore>> open_s3_store(const std::string& bucket, const S3Options& options,
                                                   const Environment& environment) {
  FOREBAY_RETURN_IF_ERROR(check_bucket_name(bucket));
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<CredentialsSource> credentials,
                           credentials_of(options, environment, metadata_client()));
  FOREBAY_ASSIGN_OR_RETURN(const Profile profile, profile_of(options, environment));
  FOREBAY_ASSIGN_OR_RETURN(S3Configuration configuration, configure_s3(options, environment, profile));
  auto connection = std::make_shared<S3Connection>(bucket, options, std::move(configuration),
                                                   std::move(credentials), net::process_http_client());
  auto costs = std::make_shared<CostModel>();
  return remote_service_store(std::make_shared<S3Store>(std::move(connection), costs), costs, options.limits,
                              options.retries);
}

std::vector<StoreOptionSpec> s3_option_specs() {
  std::vector<StoreOptionSpec> specs = {
      {"endpoint", "URL of the server, where it is not AWS's own"},
      {"region", "region of the bucket"},
      {"addressing", "where requests name the bucket: path, or virtual (host name)"},
      {"profile", "profile in AWS's files"},
      {"anonymous", "true: requests are not signed, for public buckets"},
      {"access_key_id", "key's id"},
      {"secret_access_key", "key", true},
      {"session_token", "token of temporary keys", true}};
  const std::vector<StoreOptionSpec> rates = rate_option_specs();
  specs.insert(specs.end(), rates.begin(), rates.end());
  return specs;
}

StoreRegistry::Factory s3_factory() {
  return [](const Uri& uri, const StoreOptions& given) -> Result<ObjectAddress> {
    const auto open = [&](const std::string& identity) -> Result<std::shared_ptr<ObjectStore>> {
      FOREBAY_ASSIGN_OR_RETURN(S3Options options, parse_s3_options(given));
      options.limits.shared_as = identity;
      return open_s3_store(uri.authority, options);
    };
    Result<std::shared_ptr<ObjectStore>> store =
        find_or_open_store(store_identity("s3://" + uri.authority, given, kVariables), open);
    FOREBAY_RETURN_IF_ERROR(annotate(store.status(), uri_for_message(uri.to_string())));
    return ObjectAddress{*std::move(store), uri.path.empty() ? "" : uri.path.substr(1)};
  };
}

}  // namespace forebay::storage
