// S3's keys: where they come from, and how they are kept fresh.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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

/// Asks one source after the other, until one has keys or fails. If none has any: permission_denied, with
/// what each source said.
class CredentialsChain final : public CredentialsSource {
 public:
  explicit CredentialsChain(std::vector<std::unique_ptr<CredentialsSource>> sources)
      : sources_(std::move(sources)) {}
  void fetch(CredentialsCallback done) override { fetch_from(0, {}, std::move(done)); }

 private:
  void fetch_from(size_t index, std::string found_none, CredentialsCallback done);

  const std::vector<std::unique_ptr<CredentialsSource>> sources_;
};

}  // namespace forebay::storage
