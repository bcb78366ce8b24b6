// Signatures that AWS published: the examples of the S3 API reference, and those of the signature test suite
// that do not depend on a service's own rules for paths.

#include "forebay/net/aws_signature.h"

#include <gtest/gtest.h>

#include <span>

#include "forebay/net/url.h"

namespace forebay::net {
namespace {

constexpr int64_t kMay2013 = 1'369'353'600;     // 2013-05-24T00:00:00Z
constexpr int64_t kAugust2015 = 1'440'938'160;  // 2015-08-30T12:36:00Z
constexpr char kHost[] = "examplebucket.s3.amazonaws.com";

const AwsScope kScope = {.unix_seconds = kMay2013, .region = "us-east-1"};
const AwsCredentials kCredentials = {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};

std::string hash_of(const std::string& text) {
  return sha256_hex(std::as_bytes(std::span(text)));
}

std::string value_of(const AwsFields& fields, std::string_view name) {
  for (const auto& [known, value] : fields) {
    if (known == name) {
      return value;
    }
  }
  return "(none)";
}

/// The authorization header of a request to S3 as in the published examples.
std::string authorization_of(const AwsRequest& request) {
  return value_of(signing_headers(request, kScope, kCredentials), "authorization");
}

std::string published(std::string_view headers, std::string_view signature) {
  return "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
         "SignedHeaders=" +
         std::string(headers) + ", Signature=" + std::string(signature);
}

TEST(AwsSignature, PublishedGetOfARange) {
  const AwsRequest request = {
      .path = "/test.txt", .headers = {{"Host", kHost}, {"Range", "bytes=0-9"}}, .payload_hash = hash_of("")};
  EXPECT_EQ(authorization_of(request),
            published("host;range;x-amz-content-sha256;x-amz-date",
                      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"));
}

TEST(AwsSignature, PublishedPut) {
  const AwsRequest request = {.method = "PUT",
                              .path = percent_encoded("/test$file.text"),
                              .headers = {{"Host", kHost},
                                          {"Date", "Fri, 24 May 2013 00:00:00 GMT"},
                                          {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                              .payload_hash = hash_of("Welcome to Amazon S3.")};
  EXPECT_EQ(request.path, "/test%24file.text");
  EXPECT_EQ(request.payload_hash, "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072");
  EXPECT_EQ(authorization_of(request),
            published("date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
                      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
}

TEST(AwsSignature, PublishedQueries) {
  AwsRequest request = {
      .query = {{"lifecycle", ""}}, .headers = {{"Host", kHost}}, .payload_hash = hash_of("")};
  EXPECT_EQ(authorization_of(request),
            published("host;x-amz-content-sha256;x-amz-date",
                      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
  request.query = {{"prefix", "J"}, {"max-keys", "2"}};
  EXPECT_EQ(authorization_of(request),
            published("host;x-amz-content-sha256;x-amz-date",
                      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST(AwsSignature, PublishedUrl) {
  const std::string query =
      presigned_query({.path = "/test.txt", .headers = {{"host", kHost}}}, kScope, kCredentials, 86'400);
  EXPECT_EQ(query,
            "X-Amz-Algorithm=AWS4-HMAC-SHA256"
            "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
            "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
            "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

// "get-vanilla", "get-vanilla-query-order-key-case" and "post-vanilla" of the signature test suite.
TEST(AwsSignature, PublishedSuite) {
  const AwsScope scope = {.unix_seconds = kAugust2015, .region = "us-east-1", .service = "service"};
  const std::string_view secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
  AwsRequest request = {.headers = {{"Host", "example.amazonaws.com"}, {"X-Amz-Date", "20150830T123600Z"}},
                        .payload_hash = hash_of("")};
  EXPECT_EQ(aws_signature(request, scope, secret),
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
  request.query = {{"Param2", "value2"}, {"Param1", "value1"}};
  EXPECT_EQ(aws_signature(request, scope, secret),
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
  request.query.clear();
  request.method = "POST";
  EXPECT_EQ(aws_signature(request, scope, secret),
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
}

TEST(AwsSignature, HeadersAreSortedTrimmedAndJoined) {
  const AwsRequest request = {
      .headers = {{"X-B", "  two   words\t"}, {"host", "h"}, {"x-a", "1"}, {"X-A", "2"}},
      .payload_hash = std::string(kUnsignedPayload)};
  EXPECT_EQ(canonical_request(request),
            "GET\n/\n\nhost:h\nx-a:1,2\nx-b:two words\n\nhost;x-a;x-b\nUNSIGNED-PAYLOAD");
}

TEST(AwsSignature, QueriesAreEncodedAndSorted) {
  EXPECT_EQ(canonical_query({}), "");
  EXPECT_EQ(canonical_query({{"b", "2 &/\xff"}, {"a", ""}, {"a-", "="}}), "a=&a-=%3D&b=2%20%26%2F%FF");
}

TEST(AwsSignature, TheTokenOfTemporaryCredentialsIsSigned) {
  AwsCredentials temporary = kCredentials;
  temporary.session_token = "token/of+a=session";
  const AwsRequest request = {.headers = {{"host", "h"}}, .payload_hash = hash_of("")};
  const AwsFields headers = signing_headers(request, kScope, temporary);
  EXPECT_EQ(value_of(headers, "x-amz-security-token"), "token/of+a=session");
  EXPECT_NE(value_of(headers, "authorization").find("x-amz-date;x-amz-security-token,"), std::string::npos);
  EXPECT_NE(
      presigned_query(request, kScope, temporary, 60).find("X-Amz-Security-Token=token%2Fof%2Ba%3Dsession&"),
      std::string::npos);
}

TEST(AwsSignature, TimesAreWrittenInUtc) {
  EXPECT_EQ(aws_time(0), "19700101T000000Z");
  EXPECT_EQ(aws_time(1'709'251'199), "20240229T235959Z");
}

TEST(AwsSignature, ComparesWholeSignatures) {
  EXPECT_TRUE(is_same_signature("abc", "abc"));
  EXPECT_FALSE(is_same_signature("abc", "abd"));
  EXPECT_FALSE(is_same_signature("abc", "ab"));
}

}  // namespace
}  // namespace forebay::net
