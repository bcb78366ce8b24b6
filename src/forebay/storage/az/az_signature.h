// Shared Key, the signature by which Azure knows who sends a request: a keyed hash of the method, some
// headers, the path and the query.
//
// Source: Microsoft, "Authorize with Shared Key", Azure Storage REST API reference (version 2015-02-21 and
// later).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/net/aws_signature.h"

namespace forebay::storage {

/// What a signature covers.
struct AzSignedRequest {
  std::string method = "GET";
  std::string path = "/";  // percent-encoded, as it is sent
  net::AwsFields query;    // decoded
  net::AwsFields headers;  // all that matter: conditions, the range, the content's type, x-ms-*
  uint64_t content_bytes = 0;
};

/// The text that is signed.
std::string az_string_to_sign(const AzSignedRequest& request, std::string_view account);

/// The value of Authorization. `key` is the account's, decoded; secret.
std::string az_authorization(const AzSignedRequest& request, std::string_view account, std::string_view key);

/// A time as headers have it: "Fri, 26 Jun 2015 23:39:12 GMT".
std::string http_date(int64_t unix_seconds);

}  // namespace forebay::storage
