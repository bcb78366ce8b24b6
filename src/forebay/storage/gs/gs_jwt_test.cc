#include "forebay/storage/gs/gs_jwt.h"

#include <gtest/gtest.h>

#include "forebay/storage/testing/rsa_key.h"

namespace forebay::storage {
namespace {

// RFC 7515, appendix A.2. RS256 has no randomness, so the signature is this one.
constexpr char kPayload[] =
    "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}";
constexpr char kSignedText[] =
    "eyJhbGciOiJSUzI1NiJ9."
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
constexpr char kSignature[] =
    "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O"
    "8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARN"
    "PvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ"
    "1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";

TEST(GsJwt, SignsAsTheStandardsExample) {
  const Result<std::string> token = sign_rs256("{\"alg\":\"RS256\"}", kPayload, kKnownRsaKey);
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_EQ(*token, std::string(kSignedText) + "." + kSignature);
}

TEST(GsJwt, Base64ForUrlsHasNoPadding) {
  EXPECT_EQ(base64_url(""), "");
  EXPECT_EQ(base64_url("\xff\xfe\xfd"), "__79");
  EXPECT_EQ(base64_url("a"), "YQ");
}

TEST(GsJwt, WhatIsNoKeyIsNotShown) {
  for (const std::string& key :
       {std::string(), std::string("hidden"), std::string(kKnownRsaKey).substr(0, 900)}) {
    const Status status = sign_rs256("{}", "{}", key).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(message(status).find("hidden"), std::string_view::npos);
  }
}

TEST(GsJwt, AnAssertionNamesTheAccountTheServerAndTheTime) {
  const Result<std::string> token = gs_assertion(
      {.email = "a@b", .key_id = "7", .private_key = kKnownRsaKey, .token_uri = "https://t/"}, 1'000'000);
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_TRUE(
      token->starts_with(base64_url(R"({"alg":"RS256","kid":"7","typ":"JWT"})") + "." +
                         base64_url(R"({"aud":"https://t/","exp":1003600,"iat":1000000,"iss":"a@b",)"
                                    R"("scope":"https://www.googleapis.com/auth/devstorage.read_write"})") +
                         "."))
      << *token;
}

}  // namespace
}  // namespace forebay::storage
