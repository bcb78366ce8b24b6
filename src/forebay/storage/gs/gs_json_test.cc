#include "forebay/storage/gs/gs_json.h"

#include <gtest/gtest.h>

#include "forebay/storage/errors.h"
#include "forebay/storage/gs/gs_credentials.h"

namespace forebay::storage {
namespace {

TEST(GsJson, ObjectsHaveSizeGenerationAndTime) {
  const Result<ObjectStat> stat = parse_gs_object(
      R"({"name":"a/b \u00e9","size":"7","generation":"1700","updated":"2009-10-12T17:50:30.5Z","more":{"x":[1]}})");
  ASSERT_TRUE(stat.ok()) << stat.status();
  EXPECT_EQ(stat->key, "a/b \xc3\xa9");
  EXPECT_EQ(stat->size_bytes, 7u);
  EXPECT_EQ(stat->version, "1700");
  EXPECT_EQ(stat->modified_ns, 1'255'369'830'500'000'000);
}

TEST(GsJson, PagesOfListings) {
  const Result<TokenPage> list = parse_gs_list(
      R"({"kind":"storage#objects","items":[{"name":"k","size":"0","generation":"1"}],"prefixes":["d/"],"nextPageToken":"t"})");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->page.objects.at(0).key, "k");
  EXPECT_EQ(list->page.prefixes, std::vector<std::string>{"d/"});
  EXPECT_EQ(list->next_token, "t");
  const Result<TokenPage> empty = parse_gs_list(R"({"kind":"storage#objects"})");
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_TRUE(empty->page.is_last);
}

std::string array_of(size_t count, const std::string& item) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ",") + item;
  }
  return "[" + text + "]";
}

// A corpus of answers that no server should give.
TEST(GsJson, BrokenAnswersAreErrors) {
  const std::string item = R"({"name":"k","size":"0","generation":"1"})";
  const std::string lists[] = {
      "",
      "no json",
      "[]",
      "\"text\"",
      "{\"items\":",
      "{}",
      R"({"kind":"storage#objects","items":[1]})",
      R"({"kind":"storage#objects","items":[{"name":"","size":"1","generation":"1"}]})",
      R"({"kind":"storage#objects","items":[{"name":"a\u0000b","size":"1","generation":"1"}]})",
      R"({"kind":"storage#objects","items":[{"name":"k","size":"-1","generation":"1"}]})",
      R"({"kind":"storage#objects","items":[{"name":"k","size":"99999999999999999999999","generation":"1"}]})",
      R"({"kind":"storage#objects","items":[{"name":"k","size":"1"}]})",
      R"({"kind":"storage#objects","items":[{"name":"k","size":"1","generation":"one"}]})",
      R"({"kind":"storage#objects","items":[{"name":"k","size":"1","generation":"0"}]})",
      R"({"kind":"storage#objects","prefixes":[{}]})",
      R"({"kind":"storage#objects","prefixes":[""]})",
      R"({"kind":"storage#objects","items":)" + array_of(1001, item) + "}",
      R"({"kind":"storage#objects","nextPageToken":")" + std::string(100'000, 't') + "\"}",
      R"({"kind":"storage#objects","items":[{"name":")" + std::string(2000, 'n') +
          R"(","size":"1","generation":"1"}]})",
      std::string(100, '[') + std::string(100, ']'),
      R"({"a":{"b":{"c":{"d":{"e":{"f":{"g":{}}}}}}}})"};
  for (const std::string& text : lists) {
    EXPECT_EQ(parse_gs_list(text).status().code(), StatusCode::kDataLoss) << text.substr(0, 80);
    EXPECT_EQ(parse_gs_object(text).status().code(), StatusCode::kDataLoss) << text.substr(0, 80);
  }
  for (const char* text : {"", "{}", R"({"done":"yes"})", R"({"done":false})", R"({"done":true})",
                           R"({"done":true,"resource":7})", R"({"done":false,"rewriteToken":""})"}) {
    EXPECT_EQ(parse_gs_rewrite(text).status().code(), StatusCode::kDataLoss) << text;
  }
}

TEST(GsJson, CopiesGoOnUntilTheyAreDone) {
  EXPECT_EQ(parse_gs_rewrite(R"({"done":false,"rewriteToken":"t"})")->token, "t");
  EXPECT_EQ(
      parse_gs_rewrite(R"({"done":true,"resource":{"name":"k","size":3,"generation":"2"}})")->stat.version,
      "2");
}

TEST(GsJson, FailuresSayWhatTheServiceSays) {
  const net::HttpResponse denied = {
      .status = 403,
      .body = R"({"error":{"code":403,"message":"no\nway","errors":[{"reason":"forbidden"}]}})"};
  const Status status = gs_error(denied, "gs://b/k");
  EXPECT_EQ(status.code(), StatusCode::kPermissionDenied);
  EXPECT_NE(message(status).find("gs://b/k"), std::string_view::npos) << status;
  EXPECT_NE(message(status).find("forbidden: no way"), std::string_view::npos) << status;
  const net::HttpResponse busy = {.status = 403,
                                  .body = R"({"error":{"errors":[{"reason":"rateLimitExceeded"}]}})"};
  EXPECT_EQ(gs_error(busy, "gs://b/k").code(), StatusCode::kUnavailable);
  EXPECT_GT(retry_after_ns(gs_error(busy, "gs://b/k")).value_or(0), 0);
  EXPECT_EQ(gs_error({.status = 400, .body = "{"}, "u").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(gs_error({.status = 412}, "u").code(), StatusCode::kAborted);
  EXPECT_EQ(gs_error({.status = 404}, "u").code(), StatusCode::kNotFound);
}

TEST(GsJson, Generations) {
  EXPECT_TRUE(is_gs_generation("1700000000000000"));
  for (const char* text : {"", "0", "-1", "1x", "99999999999999999999999999", "no such version"}) {
    EXPECT_FALSE(is_gs_generation(text)) << text;
  }
}

TEST(GsJson, TokensSayWhenTheyExpire) {
  const Result<GsTokenRef> token = parse_gs_token(R"({"access_token":"t","expires_in":3599})", 1000);
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_EQ((*token)->text, "t");
  EXPECT_EQ((*token)->expires_s, 4599);
  for (const char* text :
       {"", "{}", R"({"access_token":"hidden"})", R"({"access_token":"hid\nden","expires_in":1})",
        R"({"access_token":"hidden","expires_in":"soon"})",
        R"({"access_token":"hidden","expires_in":99999999999})"}) {
    const Status status = parse_gs_token(text, 0).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << text;
    EXPECT_EQ(message(status).find("hid"), std::string_view::npos) << status;
  }
}

TEST(GsJson, KeyFilesOfAccountsAndOfUsers) {
  const GsKeyFile account = *parse_gs_key_file(
      R"({"type":"service_account","client_email":"a@b","private_key":"k","private_key_id":"7"})");
  EXPECT_EQ(std::get<GsServiceAccount>(account).email, "a@b");
  EXPECT_EQ(std::get<GsServiceAccount>(account).token_uri, "https://oauth2.googleapis.com/token");
  const GsKeyFile user = *parse_gs_key_file(
      R"({"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r","token_uri":"https://t"})");
  EXPECT_EQ(std::get<GsUserKeys>(user).refresh_token, "r");
  EXPECT_EQ(std::get<GsUserKeys>(user).token_uri, "https://t");
  for (const char* text : {"", "[1]", R"({"type":"service_account","private_key":"hidden"})",
                           R"({"type":"authorized_user","client_secret":"hidden"})"}) {
    EXPECT_EQ(parse_gs_key_file(text).status().code(), StatusCode::kDataLoss) << text;
  }
  const Status other = parse_gs_key_file(R"({"type":"external_account","secret":"hidden"})").status();
  EXPECT_EQ(other.code(), StatusCode::kUnimplemented);
  EXPECT_NE(message(other).find("external_account"), std::string_view::npos) << other;
  EXPECT_EQ(message(other).find("hidden"), std::string_view::npos) << other;
}

}  // namespace
}  // namespace forebay::storage
