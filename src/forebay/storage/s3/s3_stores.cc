#include "forebay/storage/s3/s3_stores.h"
#include "forebay/storage/s3/allowed_credentials.h"

#include <utility>

#include "forebay/base/log/log.h"
#include "forebay/storage/remote/remote_store.h"
#include "forebay/storage/s3/s3_store.h"
#include "forebay/storage/s3_credentials/credential_sources.h"

namespace forebay::storage {
namespace {

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
  FOREBAY_ASSIGN_OR_RETURN(net::HttpClient* const client, http_client_of(environment));
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<CredentialsSource> credentials,
                           credentials_of(options, environment, metadata_client(), *client));
  FOREBAY_ASSIGN_OR_RETURN(const Profile profile, profile_of(options, environment));
  FOREBAY_ASSIGN_OR_RETURN(S3Configuration configuration, configure_s3(options, environment, profile));
  auto connection = std::make_shared<S3Connection>(bucket, options, std::move(configuration),
                                                   std::move(credentials), *client);
  auto costs = std::make_shared<CostModel>();
  return remote_store(std::make_shared<S3Store>(std::move(connection), costs), costs);
}

RemoteScheme<S3Options> s3_scheme() {
  return {.options = s3_options(),
          .variables = {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "AWS_ENDPOINT_URL_STS", "AWS_ROLE_ARN",
                        "AWS_ROLE_SESSION_NAME", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONFIG_FILE",
                        "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
                        "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN",
                        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "AWS_EC2_METADATA_DISABLED",
                        "AWS_EC2_METADATA_SERVICE_ENDPOINT", "HOME"},
          .open = [](const Uri& uri, const S3Options& options, const Environment& environment) {
            return open_s3_store(uri.authority, options, environment);
          }};
}

}  // namespace forebay::storage
