// The schemes http and https.
#pragma once

#include <string>

#include "forebay/storage/remote/rate_limiter.h"
#include "forebay/storage/remote/remote_scheme.h"
#include "forebay/storage/remote/retried_call.h"

namespace forebay::storage {

/// What a mount says of a web server.
struct HttpOptions {
  std::string bearer_token;  // secret
  RateLimits limits;
  RetryOptions retries;
};

/// One store for all URLs.
RemoteScheme<HttpOptions> http_scheme();

}  // namespace forebay::storage
