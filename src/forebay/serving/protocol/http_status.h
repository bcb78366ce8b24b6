// Errors as HTTP has them: a status and {"error": "..."}.
#pragma once

#include <string>
#include <string_view>

#include "forebay/base/status.h"

namespace forebay::serving {

/// 200 for OK, 400 to 504 for errors; 500 for codes that blame nobody else.
int http_status_of(StatusCode code);

/// {"error": text}. Bytes that are not UTF-8 become U+FFFD.
std::string error_body(std::string_view text);
std::string error_body(const Status& status);

}  // namespace forebay::serving
