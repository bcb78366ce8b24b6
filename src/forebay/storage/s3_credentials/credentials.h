// S3's keys: where they come from, and how they are kept fresh.
#pragma once

#include <cstdint>

#include "forebay/net/aws_signature.h"
#include "forebay/storage/remote/renewed_secret.h"

namespace forebay::storage {

/// Keys and until when they are good, in seconds since the Unix epoch.
struct ExpiringCredentials {
  net::AwsCredentials keys;
  int64_t expires_s = kNeverExpires;
};

using CredentialsSource = SecretSource<ExpiringCredentials>;
using CredentialsRef = CredentialsSource::Ref;
using CredentialsCallback = CredentialsSource::Callback;
using CachedCredentials = RenewedSecret<ExpiringCredentials>;

}  // namespace forebay::storage
