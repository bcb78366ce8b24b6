// What libcurl's codes mean to callers of the client.
#pragma once

#include <curl/curl.h>

#include <string_view>

#include "forebay/base/status.h"

namespace forebay::net {

/// `detail` is libcurl's own text about the failure, or empty; `what` names the request.
Status curl_error(CURLcode code, std::string_view detail, std::string_view what);

}  // namespace forebay::net
