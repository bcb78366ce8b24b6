// Keys that a profile has, or leads to: by a role of another profile, of the environment or of a metadata
// service, or by a token of another identity provider.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "forebay/net/client/http_client.h"
#include "forebay/storage/remote/environment.h"
#include "forebay/storage/remote/wall_time.h"
#include "forebay/storage/s3_credentials/credentials.h"

namespace forebay::storage {

/// What roles need besides the profile. The clients have to outlive the calls.
struct RoleSettings {
  Environment environment;
  std::string region;  // of the store; may be empty
  net::HttpClient* metadata = nullptr;
  net::HttpClient* sts = nullptr;
  WallClock clock = wall_clock_seconds;
};

/// A profile's keys; the files are read anew for each fetch. `unimplemented` for profiles that name a
/// process, single sign-on or a code that somebody has to type in place of keys.
class ProfileCredentials final : public CredentialsSource {
 public:
  /// `name` as for read_profile(). If it is not empty, a profile that does not exist is an error.
  ProfileCredentials(std::string name, RoleSettings settings)
      : name_(std::move(name)), settings_(std::move(settings)) {}
  void fetch(CredentialsCallback done) override;

 private:
  const std::string name_;
  const RoleSettings settings_;
};

/// AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE, as EKS sets them, with AWS_ROLE_SESSION_NAME.
class WebIdentityCredentials final : public CredentialsSource {
 public:
  explicit WebIdentityCredentials(RoleSettings settings) : settings_(std::move(settings)) {}
  void fetch(CredentialsCallback done) override;

 private:
  const RoleSettings settings_;
};

}  // namespace forebay::storage
