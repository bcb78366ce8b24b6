// The order of the sources: options, environment, profile, container, instance.
#include "forebay/storage/s3/allowed_credentials.h"

#include <utility>
#include <vector>

#include "forebay/storage/s3_credentials/credential_sources.h"
#include "forebay/storage/s3_credentials/profile_credentials.h"

namespace forebay::storage {

Result<std::shared_ptr<CredentialsSource>> credentials_of(const S3Options& options,
                                                          const Environment& environment,
                                                          net::HttpClient& metadata, net::HttpClient& sts) {
  FOREBAY_ASSIGN_OR_RETURN(const bool is_public, switch_in(environment, "FOREBAY_S3_ANONYMOUS"));
  if (options.anonymous || is_public) {
    return std::make_shared<GivenCredentials>(CredentialsRef());
  }
  if (options.credentials.access_key_id.empty() != options.credentials.secret_access_key.empty()) {
    return invalid_argument("access_key_id and secret_access_key go together");
  }
  if (!options.credentials.access_key_id.empty()) {
    return std::make_shared<GivenCredentials>(options.credentials);
  }
  const RoleSettings roles = {
      .environment = environment, .region = options.region, .metadata = &metadata, .sts = &sts};
  std::vector<std::shared_ptr<CredentialsSource>> sources;
  if (options.profile.empty()) {
    sources.push_back(std::make_shared<EnvironmentCredentials>(environment));
    sources.push_back(std::make_shared<WebIdentityCredentials>(roles));
  }
  sources.push_back(std::make_shared<ProfileCredentials>(options.profile, roles));
  sources.push_back(std::make_shared<ContainerCredentials>(environment, metadata));
  sources.push_back(std::make_shared<InstanceCredentials>(environment, metadata));
  return std::make_shared<SecretChain<ExpiringCredentials>>(
      std::move(sources), "Public buckets are read without: FOREBAY_S3_ANONYMOUS=1");
}

}  // namespace forebay::storage
