// The HTTP client for services that give keys and tokens.
#pragma once

#include "forebay/net/http_client.h"

namespace forebay::storage {

/// For metadata services: no proxy, and short timeouts, since on most machines there is none. Never
/// destroyed.
net::HttpClient& metadata_client();

}  // namespace forebay::storage
