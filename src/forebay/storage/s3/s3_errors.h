// S3's errors as the errors of stores.
#pragma once

#include <string>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/net/http_message.h"
#include "forebay/storage/s3/s3_xml.h"

namespace forebay::storage {

/// The error for an answer without success. The code that S3 gives decides, else the HTTP status (an answer
/// to HEAD has no more). The text has the object's URI, S3's code and message.
Status s3_error(const net::HttpResponse& answer, std::string_view uri);

/// The same for a failure that came with status 200.
Status s3_error(const S3Failure& failure, std::string_view uri);

}  // namespace forebay::storage
