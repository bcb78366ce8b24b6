#include "forebay/storage/s3_credentials/credential_sources.h"

#include <array>
#include <optional>
#include <utility>

#include "fmt/format.h"

namespace forebay::storage {
namespace {

class GivenCredentials final : public CredentialsSource {
 public:
  explicit GivenCredentials(CredentialsRef keys) : keys_(std::move(keys)) {}
  void fetch(CredentialsCallback done) override { done(keys_); }

 private:
  const CredentialsRef keys_;
};

CredentialsRef lasting(net::AwsCredentials keys) {
  return std::make_shared<const ExpiringCredentials>(ExpiringCredentials{std::move(keys)});
}

Result<CredentialsRef> environment_keys(const Environment& environment) {
  const std::optional<std::string> id = environment("AWS_ACCESS_KEY_ID");
  const std::optional<std::string> secret = environment("AWS_SECRET_ACCESS_KEY");
  if (!id && !secret) {
    return not_found("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set");
  }
  if (!id || !secret) {
    return invalid_argument("{} is set without {}", id ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY",
                            id ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID");
  }
  return lasting({*id, *secret, environment("AWS_SESSION_TOKEN").value_or("")});
}

std::string setting_of(const Profile& profile, std::string_view name) {
  const auto found = profile.settings.find(name);
  return found == profile.settings.end() ? std::string() : found->second;
}

Result<CredentialsRef> keys_in(const Profile& profile) {
  const std::string id = setting_of(profile, "aws_access_key_id");
  const std::string secret = setting_of(profile, "aws_secret_access_key");
  if (!id.empty() && !secret.empty()) {
    return lasting({id, secret, setting_of(profile, "aws_session_token")});
  }
  if (!id.empty() || !secret.empty()) {
    return invalid_argument(
        "the profile '{}' in {} has one of aws_access_key_id and aws_secret_access_key, "
        "not both",
        profile.name, profile.files);
  }
  constexpr std::array<std::string_view, 5> kElsewhere = {"role_arn", "sso_session", "sso_start_url",
                                                          "credential_process", "web_identity_token_file"};
  for (const std::string_view name : kElsewhere) {
    if (profile.settings.contains(name)) {
      return unimplemented(
          "the profile '{}' in {} has '{}', which Forebay does not follow; put the keys that it "
          "leads to into the environment (aws configure export-credentials --format env)",
          profile.name, profile.files, name);
    }
  }
  return not_found("no profile '{}' with keys in {}", profile.name, profile.files);
}

Result<CredentialsRef> profile_keys(const std::string& name, const Environment& environment) {
  FOREBAY_ASSIGN_OR_RETURN(const Profile profile, read_profile(name, environment));
  if (!profile.is_known && (!name.empty() || environment("AWS_PROFILE"))) {
    return invalid_argument("there is no profile '{}' in {}", profile.name, profile.files);
  }
  return keys_in(profile);
}

}  // namespace

void EnvironmentCredentials::fetch(CredentialsCallback done) {
  done(environment_keys(environment_));
}

void ProfileCredentials::fetch(CredentialsCallback done) {
  done(profile_keys(name_, environment_));
}

std::shared_ptr<CredentialsSource> credentials_of(const S3Options& options, const Environment& environment,
                                                  net::HttpClient& metadata) {
  if (options.anonymous || environment("FOREBAY_S3_ANONYMOUS").value_or("0") != "0") {
    return std::make_shared<GivenCredentials>(nullptr);
  }
  if (!options.credentials.access_key_id.empty()) {
    return std::make_shared<GivenCredentials>(lasting(options.credentials));
  }
  std::vector<std::shared_ptr<CredentialsSource>> sources;
  if (options.profile.empty()) {
    sources.push_back(std::make_shared<EnvironmentCredentials>(environment));
  }
  sources.push_back(std::make_shared<ProfileCredentials>(options.profile, environment));
  sources.push_back(std::make_shared<ContainerCredentials>(environment, metadata));
  sources.push_back(std::make_shared<InstanceCredentials>(environment, metadata));
  return std::make_shared<SecretChain<ExpiringCredentials>>(
      std::move(sources), "Public buckets are read without: FOREBAY_S3_ANONYMOUS=1");
}

}  // namespace forebay::storage
