#include "forebay/storage/s3_credentials/credential_sources.h"

#include <optional>
#include <utility>

namespace forebay::storage {
namespace {

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
  return std::make_shared<const ExpiringCredentials>(
      ExpiringCredentials{{*id, *secret, environment("AWS_SESSION_TOKEN").value_or("")}});
}

}  // namespace

void EnvironmentCredentials::fetch(CredentialsCallback done) {
  done(environment_keys(environment_));
}

}  // namespace forebay::storage
