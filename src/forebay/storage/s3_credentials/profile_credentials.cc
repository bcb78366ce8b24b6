#include "forebay/storage/s3_credentials/profile_credentials.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "forebay/net/http_fields.h"
#include "forebay/storage/remote/json_answer.h"
#include "forebay/storage/remote/small_file.h"
#include "forebay/storage/s3_credentials/credential_sources.h"
#include "forebay/storage/s3_credentials/profile_file.h"
#include "forebay/storage/s3_credentials/sts.h"

namespace forebay::storage {
namespace {

constexpr size_t kMaxIdentityTokenBytes = 20'000;  // STS's own limit
constexpr size_t kMaxChainedProfiles = 8;
constexpr uint64_t kShortestRoleSeconds = 900;
constexpr uint64_t kLongestRoleSeconds = 43'200;

using Source = std::shared_ptr<CredentialsSource>;

/// Keys of a role for keys of another source.
class AssumedRole final : public CredentialsSource {
 public:
  AssumedRole(StsService service, StsRole role, Source base)
      : service_(std::move(service)), role_(std::move(role)), base_(std::move(base)) {}

  void fetch(CredentialsCallback done) override {
    base_->fetch(
        [service = service_, role = role_, done = std::move(done)](Result<CredentialsRef> keys) mutable {
          if (keys.ok() && *keys != nullptr) {
            assume_role(service, role, (*keys)->keys, std::move(done));
          } else {
            done(refusal(role, keys.status()));
          }
        });
  }

 private:
  /// Never not_found: there is a role, so the search ends here.
  static Status refusal(const StsRole& role, const Status& status) {
    const Status named = annotate(status, "the keys for the role of " + role.from);
    return status.code() == StatusCode::kNotFound ? permission_denied("{}", message(named)) : named;
  }

  const StsService service_;
  const StsRole role_;
  const Source base_;
};

/// Keys of a role for a token in a file, which is read anew for each fetch: whoever writes it renews it.
class TokenRole final : public CredentialsSource {
 public:
  TokenRole(StsService service, StsRole role, std::string token_file)
      : service_(std::move(service)), role_(std::move(role)), token_file_(std::move(token_file)) {}

  void fetch(CredentialsCallback done) override {
    const Result<std::string> token = read_token();
    if (token.ok()) {
      assume_role_with_token(service_, role_, *token, std::move(done));
    } else {
      done(token.status());
    }
  }

 private:
  Result<std::string> read_token() const {
    FOREBAY_ASSIGN_OR_RETURN(std::optional<std::string> token,
                             read_small_file(token_file_, kMaxIdentityTokenBytes));
    while (token && (token->ends_with('\n') || token->ends_with('\r'))) {
      token->pop_back();
    }
    if (!token || token->empty() || !is_one_line(*token)) {
      return permission_denied("{}: there is no token in it, which {} needs for its role", token_file_,
                               role_.from);
    }
    return *std::move(token);
  }

  const StsService service_;
  const StsRole role_;
  const std::string token_file_;
};

std::string setting_of(const Profile& profile, std::string_view name) {
  const auto found = profile.settings.find(name);
  return found == profile.settings.end() ? std::string() : found->second;
}

/// The profile as errors name it.
std::string title_of(const Profile& profile) {
  return fmt::format("the profile '{}' in {}", profile.name, profile.files);
}

Result<Source> keys_in(const Profile& profile) {
  const std::string id = setting_of(profile, "aws_access_key_id");
  const std::string secret = setting_of(profile, "aws_secret_access_key");
  if (!id.empty() && !secret.empty()) {
    return std::make_shared<GivenCredentials>(
        net::AwsCredentials{id, secret, setting_of(profile, "aws_session_token")});
  }
  if (!id.empty() || !secret.empty()) {
    return invalid_argument("{} has one of aws_access_key_id and aws_secret_access_key, not both",
                            title_of(profile));
  }
  constexpr std::array<std::string_view, 4> kElsewhere = {"sso_session", "sso_start_url",
                                                          "credential_process", "web_identity_token_file"};
  for (const std::string_view name : kElsewhere) {
    if (profile.settings.contains(name)) {
      return unimplemented(
          "{} has '{}', which Forebay does not follow; put the keys that it leads to into the environment "
          "(aws configure export-credentials --format env)",
          title_of(profile), name);
    }
  }
  return not_found("no profile '{}' with keys in {}", profile.name, profile.files);
}

Result<StsRole> role_in(const Profile& profile) {
  if (profile.settings.contains("mfa_serial")) {
    return unimplemented(
        "{} has 'mfa_serial', for which somebody has to type a code; put the keys that it leads to into the "
        "environment (aws configure export-credentials --format env)",
        title_of(profile));
  }
  StsRole role = {.arn = setting_of(profile, "role_arn"),
                  .session_name = setting_of(profile, "role_session_name"),
                  .external_id = setting_of(profile, "external_id"),
                  .from = title_of(profile)};
  if (const std::string text = setting_of(profile, "duration_seconds"); !text.empty()) {
    const std::optional<uint64_t> seconds = net::parse_decimal(text);
    if (!seconds || *seconds < kShortestRoleSeconds || *seconds > kLongestRoleSeconds) {
      return invalid_argument("{}: duration_seconds is from {} to {}", title_of(profile),
                              kShortestRoleSeconds, kLongestRoleSeconds);
    }
    role.duration_s = static_cast<int>(*seconds);
  }
  return role;
}

/// The source of a profile's keys: follows its roles, profile by profile.
class ProfileChain {
 public:
  explicit ProfileChain(const RoleSettings& settings) : settings_(settings) {}

  Result<Source> source_of(const std::string& name, bool must_exist) {
    FOREBAY_ASSIGN_OR_RETURN(const Profile profile, read_profile(name, settings_.environment));
    if (!profile.is_known && must_exist) {
      return invalid_argument("there is no profile '{}' in {}", profile.name, profile.files);
    }
    if (!profile.settings.contains("role_arn")) {
      return keys_in(profile);
    }
    const bool comes_again = std::find(seen_.begin(), seen_.end(), profile.name) != seen_.end();
    if (comes_again || seen_.size() == kMaxChainedProfiles) {
      return invalid_argument("{}: its source_profile leads to no keys, but in a circle or too far",
                              title_of(profile));
    }
    seen_.push_back(profile.name);
    return role_source(profile);
  }

 private:
  Result<Source> role_source(const Profile& profile) {
    FOREBAY_ASSIGN_OR_RETURN(StsRole role, role_in(profile));
    FOREBAY_ASSIGN_OR_RETURN(StsService service, service_for(profile));
    if (const std::string file = setting_of(profile, "web_identity_token_file"); !file.empty()) {
      return std::make_shared<TokenRole>(std::move(service), std::move(role), file);
    }
    FOREBAY_ASSIGN_OR_RETURN(Source base, base_of(profile));
    return std::make_shared<AssumedRole>(std::move(service), std::move(role), std::move(base));
  }

  Result<StsService> service_for(const Profile& profile) const {
    FOREBAY_ASSIGN_OR_RETURN(StsEndpoint where,
                             sts_endpoint(settings_.region, settings_.environment, profile));
    return StsService{std::move(where), settings_.sts, settings_.clock};
  }

  Result<Source> base_of(const Profile& profile) {
    const std::string other = setting_of(profile, "source_profile");
    const std::string source = setting_of(profile, "credential_source");
    if (other.empty() == source.empty()) {
      return invalid_argument("{} has a role_arn, which needs a source_profile or a credential_source",
                              title_of(profile));
    }
    if (!other.empty()) {
      return other == profile.name ? keys_in(profile) : source_of(other, true);
    }
    if (source == "Environment") {
      return std::make_shared<EnvironmentCredentials>(settings_.environment);
    }
    if (source == "EcsContainer") {
      return std::make_shared<ContainerCredentials>(settings_.environment, *settings_.metadata);
    }
    if (source == "Ec2InstanceMetadata") {
      return std::make_shared<InstanceCredentials>(settings_.environment, *settings_.metadata);
    }
    return invalid_argument(
        "{}: credential_source is Environment, EcsContainer or Ec2InstanceMetadata, not '{}'",
        title_of(profile), source);
  }

  const RoleSettings& settings_;
  std::vector<std::string> seen_;  // profiles with roles
};

/// The source lives until it has answered.
void fetch_from(const Result<Source>& source, CredentialsCallback done) {
  if (!source.ok()) {
    done(source.status());
    return;
  }
  const Source& kept = *source;
  kept->fetch([kept, done = std::move(done)](Result<CredentialsRef> keys) mutable { done(std::move(keys)); });
}

Result<Source> identity_source(const RoleSettings& settings) {
  const std::optional<std::string> file = settings.environment("AWS_WEB_IDENTITY_TOKEN_FILE");
  const std::optional<std::string> arn = settings.environment("AWS_ROLE_ARN");
  if (!file) {
    return not_found("AWS_WEB_IDENTITY_TOKEN_FILE is not set");
  }
  if (!arn) {
    return invalid_argument("AWS_WEB_IDENTITY_TOKEN_FILE is set without AWS_ROLE_ARN");
  }
  FOREBAY_ASSIGN_OR_RETURN(const Profile profile, read_profile({}, settings.environment));
  FOREBAY_ASSIGN_OR_RETURN(StsEndpoint where, sts_endpoint(settings.region, settings.environment, profile));
  StsRole role = {.arn = *arn,
                  .session_name = settings.environment("AWS_ROLE_SESSION_NAME").value_or(""),
                  .from = "AWS_ROLE_ARN"};
  return std::make_shared<TokenRole>(StsService{std::move(where), settings.sts, settings.clock},
                                     std::move(role), *file);
}

}  // namespace

void ProfileCredentials::fetch(CredentialsCallback done) {
  const bool must_exist = !name_.empty() || settings_.environment("AWS_PROFILE");
  fetch_from(ProfileChain(settings_).source_of(name_, must_exist), std::move(done));
}

void WebIdentityCredentials::fetch(CredentialsCallback done) {
  fetch_from(identity_source(settings_), std::move(done));
}

}  // namespace forebay::storage
