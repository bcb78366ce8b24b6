// AWS's Security Token Service: keys of a role, for other keys or for a token of another identity provider.
//
// Source: AWS, "AWS Security Token Service API Reference", version 2011-06-15.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "forebay/net/aws_signature.h"
#include "forebay/net/client/http_client.h"
#include "forebay/storage/remote/endpoint.h"
#include "forebay/storage/remote/environment.h"
#include "forebay/storage/remote/wall_time.h"
#include "forebay/storage/s3_credentials/credentials.h"
#include "forebay/storage/s3_credentials/profile_file.h"

namespace forebay::storage {

/// Limit of an answer.
inline constexpr size_t kMaxStsBytes = 64 << 10;

/// Where the service is.
struct StsEndpoint {
  Endpoint endpoint;
  std::string region;  // that requests are signed for
};

/// AWS_ENDPOINT_URL_STS, else AWS_ENDPOINT_URL, else that of the profile (its own, or of the `sts` section of
/// its `services`), else AWS's own in the region. `region`: of the store; empty: of the environment, else of
/// the profile. invalid_argument where it is neither https nor this host: keys do not travel in the clear.
Result<StsEndpoint> sts_endpoint(const std::string& region, const Environment& environment,
                                 const Profile& profile);

/// A role to be assumed.
struct StsRole {
  std::string arn;
  std::string session_name;  // empty: "forebay-" and the time
  std::string external_id;   // that its owner demands; secret
  int duration_s = 3600;     // how long its keys are good
  std::string from;          // where it was found, for errors
};

/// A connection to the service. Copies share the client, which has to outlive the calls.
struct StsService {
  StsEndpoint where;
  net::HttpClient* client = nullptr;
  WallClock clock = wall_clock_seconds;
};

/// AssumeRole, signed by `keys`. Errors are permission_denied or unavailable, and hold no keys.
void assume_role(const StsService& service, const StsRole& role, const net::AwsCredentials& keys,
                 CredentialsCallback done);

/// AssumeRoleWithWebIdentity, which is not signed: the token says who asks.
void assume_role_with_token(const StsService& service, const StsRole& role, const std::string& token,
                            CredentialsCallback done);

/// The keys that an answer gives. data_loss for anything else, without its text.
Result<CredentialsRef> parse_sts_keys(std::string_view xml);

/// The error that an answer without success means; with the service's code and message, cut short.
Status sts_error(const net::HttpResponse& answer, std::string_view from);

}  // namespace forebay::storage
