// How a bucket of Google Cloud Storage is reached: what the caller says, else the environment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/storage/remote/endpoint.h"
#include "forebay/storage/remote/environment.h"
#include "forebay/storage/remote/rate_limiter.h"
#include "forebay/storage/remote/retried_call.h"
#include "forebay/storage/store_option.h"

namespace forebay::storage {

/// What the caller says; empty fields are looked up.
struct GsOptions {
  std::string endpoint;
  bool anonymous = false;          // requests carry no token; for public buckets
  std::string access_token;        // secret
  std::string credentials_file;    // a key file of a service account or of a user
  uint64_t chunk_bytes = 8 << 20;  // of an upload in chunks; a multiple of 256 KiB
  RateLimits limits;               // of one store
  RetryOptions retries;            // of what only the driver can repeat: chunks
};

/// The options of a mount.
OptionTable<GsOptions> gs_options();

/// The option, else STORAGE_EMULATOR_HOST, else Google's own.
Result<Endpoint> gs_endpoint(const GsOptions& options, const Environment& environment);

/// invalid_argument for names that no bucket can have.
Status check_gs_bucket(std::string_view bucket);

/// invalid_argument for keys that no object can have: 1 to 1024 bytes of UTF-8, without line breaks.
Status check_gs_key(std::string_view key, std::string_view uri);

}  // namespace forebay::storage
