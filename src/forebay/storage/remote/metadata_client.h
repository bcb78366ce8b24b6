// The HTTP client for services that give keys and tokens.
#pragma once

#include "forebay/net/client/http_client.h"

namespace forebay::storage {

/// For metadata services: no proxy, and short timeouts, since on most machines there is none. Never
/// destroyed.
net::HttpClient& metadata_client();

/// Whether it is worth asking a metadata service once more: it says to come later. Where none answers there
/// is none, which takes long enough to find out once.
bool may_come_again(const Result<net::HttpResponse>& answer);

/// Why an instance's metadata service gave nothing: not_found where there is none, unavailable where there
/// is.
Status absence_of_metadata(const Result<net::HttpResponse>& answer);

}  // namespace forebay::storage
