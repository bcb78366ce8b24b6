// Signatures of version 4, which S3 and its kin demand of requests: a keyed hash of the method, path, query,
// headers and content of a request, in a form that client and server derive alike. A client signs with it; a
// server computes the same and compares.
//
// Paths are taken as they are on the wire, as S3 does; other services of AWS encode them once more.
// Source: AWS, "Authenticating Requests (AWS Signature Version 4)", Amazon S3 API reference.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/byte_source.h"

namespace forebay::net {

/// In place of a content's hash: the content is not covered by the signature. Only to be sent over TLS.
inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";

/// Names and values of headers or of a query, in any order.
using AwsFields = std::vector<std::pair<std::string, std::string>>;

/// A secret. Never print it, and never put it into an error.
struct AwsCredentials {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;  // of temporary credentials; else empty
};

/// When and for which service a signature is made.
struct AwsScope {
  int64_t unix_seconds = 0;
  std::string region;
  std::string service = "s3";
};

/// What a signature covers.
struct AwsRequest {
  std::string method = "GET";
  std::string path = "/";    // percent-encoded
  AwsFields query;           // decoded
  AwsFields headers;         // those to be covered, `host` among them
  std::string payload_hash;  // sha256_hex() of the content, or kUnsignedPayload
};

/// "name=value&name=value", percent-encoded and sorted: the canonical query, which is also what is sent.
std::string canonical_query(const AwsFields& query);

/// SHA-256 in lower-case hexadecimal digits.
std::string sha256_hex(Bytes content);

/// A time as signatures write it, in UTC: "20130524T000000Z".
std::string aws_time(int64_t unix_seconds);

/// The text whose hash is signed. Names are lower-cased and sorted, values trimmed, headers of one name
/// joined by commas.
std::string canonical_request(const AwsRequest& request);

/// The signature: 64 hexadecimal digits.
std::string aws_signature(const AwsRequest& request, const AwsScope& scope,
                          std::string_view secret_access_key);

/// The headers that sign `request`: x-amz-date, x-amz-content-sha256, x-amz-security-token with temporary
/// credentials, and authorization. They are sent besides `request.headers`.
AwsFields signing_headers(AwsRequest request, const AwsScope& scope, const AwsCredentials& credentials);

/// The query of a URL that carries its own signature and is good for `lifetime_seconds` (at most a week), for
/// whoever has no credentials. The content is not covered.
std::string presigned_query(AwsRequest request, const AwsScope& scope, const AwsCredentials& credentials,
                            int64_t lifetime_seconds);

/// Compares signatures in a time that does not tell where they differ.
bool is_same_signature(std::string_view one, std::string_view other);

}  // namespace forebay::net
