#include "forebay/storage/gs/gs_credentials.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <semaphore>

#include "forebay/storage/remote/environment.h"
#include "forebay/storage/testing/rsa_key.h"
#include "forebay/storage/testing/scripted_store.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

class GsCredentialsTest : public ::testing::Test {
 protected:
  /// The token that the variables and options lead to. The metadata service is the scripted server, if any.
  Result<GsTokenRef> find(const StoreVariables& variables, const GsOptions& options = {}) {
    FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<GsTokenSource> source,
                             gs_token_source(options, environment_of(variables), service_.client,
                                             service_.client, [] { return int64_t{1000}; }));
    std::binary_semaphore answered(0);
    Result<GsTokenRef> token = unavailable("not answered");
    source->fetch([&](Result<GsTokenRef> found) {
      token = std::move(found);
      answered.release();
    });
    answered.acquire();
    return token;
  }

  std::string key_file(const std::string& token_uri) const {
    const nlohmann::json file = {{"type", "service_account"},
                                 {"client_email", "a@b"},
                                 {"private_key", kKnownRsaKey},
                                 {"token_uri", token_uri}};
    std::ofstream(directory_ / "key.json") << file.dump();
    return directory_ / "key.json";
  }

  TemporaryDirectory directory_;
  ScriptedService service_;
};

constexpr char kGsToken[] = R"({"access_token":"hidden-token","expires_in":3600,"token_type":"Bearer"})";

TEST_F(GsCredentialsTest, PublicBucketsNeedNoToken) {
  EXPECT_EQ(*find({}, {.anonymous = true}), nullptr);
  EXPECT_EQ(*find({{"FOREBAY_GS_ANONYMOUS", "1"}}), nullptr);
  EXPECT_EQ(*find({{"FOREBAY_GS_ANONYMOUS", "True"}}), nullptr);
  EXPECT_NE(*find({{"FOREBAY_GS_ANONYMOUS", "false"}, {"GOOGLE_OAUTH_ACCESS_TOKEN", "t"}}), nullptr);
  const Status odd = find({{"FOREBAY_GS_ANONYMOUS", "ja"}}).status();
  EXPECT_EQ(odd.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(message(odd).find("FOREBAY_GS_ANONYMOUS"), std::string_view::npos) << odd;
  EXPECT_EQ(*find({{"STORAGE_EMULATOR_HOST", "localhost:1"}}), nullptr);
  EXPECT_EQ((*find({{"STORAGE_EMULATOR_HOST", "localhost:1"}}, {.access_token = "t"}))->text, "t");
}

TEST_F(GsCredentialsTest, OptionsWinOverTheEnvironment) {
  const StoreVariables variables = {{"GOOGLE_OAUTH_ACCESS_TOKEN", "environment"}};
  EXPECT_EQ((*find(variables, {.access_token = "option"}))->text, "option");
  EXPECT_EQ((*find(variables))->text, "environment");
}

TEST_F(GsCredentialsTest, AServiceAccountsSignatureIsExchangedForAToken) {
  std::string seen;
  service_.serve([&](const std::string& request, int) {
    seen = request;
    return reply("200 OK", "", kGsToken);
  });
  const Result<GsTokenRef> token =
      find({{"GOOGLE_APPLICATION_CREDENTIALS", key_file(service_.url("/token"))}});
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_EQ((*token)->text, "hidden-token");
  EXPECT_EQ((*token)->expires_s, 4600);
  EXPECT_TRUE(seen.starts_with("POST /token HTTP/1.1\r\n")) << seen;
  const std::string assertion =
      *gs_assertion({.email = "a@b", .private_key = kKnownRsaKey, .token_uri = service_.url("/token")}, 1000);
  EXPECT_NE(seen.find("assertion=" + assertion), std::string::npos);
  EXPECT_NE(seen.find("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"), std::string::npos);
}

TEST_F(GsCredentialsTest, KeysDoNotTravelInTheClear) {
  for (const char* url : {"http://tokens.example/", "http://localhost:x@tokens.example/"}) {
    const Status status = find({}, {.credentials_file = key_file(url)}).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(message(status).find("key.json"), std::string_view::npos) << status;
  }
}

TEST_F(GsCredentialsTest, RefusedAndBrokenAnswersAreNamedWithoutSecrets) {
  const std::pair<std::string, StatusCode> cases[] = {
      {reply("400 Bad Request", "", R"({"error":"invalid_grant hidden-token"})"),
       StatusCode::kPermissionDenied},
      {reply("503 Service Unavailable", "", "hidden-token"), StatusCode::kUnavailable},
      {reply("200 OK", "", R"({"access_token":"hidden-token"})"), StatusCode::kDataLoss}};
  for (const auto& [answer, code] : cases) {
    service_.serve([answer](const std::string&, int) { return answer; });
    const Status status = find({}, {.credentials_file = key_file(service_.url("/token"))}).status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_NE(message(status).find("key.json"), std::string_view::npos) << status;
    EXPECT_EQ(message(status).find("hidden"), std::string_view::npos) << status;
  }
  EXPECT_EQ(find({}, {.credentials_file = directory_ / "none"}).status().code(), StatusCode::kNotFound);
}

TEST_F(GsCredentialsTest, TheInstancesAccountIsAskedLast) {
  std::string seen;
  service_.serve([&](const std::string& request, int) {
    seen = request;
    return reply("200 OK", "Metadata-Flavor: Google\r\n", kGsToken);
  });
  const std::string host = service_.url("").substr(std::string("http://").size());
  EXPECT_EQ((*find({{"HOME", directory_.path()}, {"GCE_METADATA_HOST", host}}))->text, "hidden-token");
  EXPECT_NE(seen.find("Metadata-Flavor: Google\r\n"), std::string::npos) << seen;
  service_.serve([](const std::string&, int number) {
    return number == 0 ? reply("503 Service Unavailable", "", "")
                       : reply("200 OK", "Metadata-Flavor: Google\r\n", kGsToken);
  });
  const std::string busy = service_.url("").substr(std::string("http://").size());
  EXPECT_TRUE(find({{"HOME", directory_.path()}, {"GCE_METADATA_HOST", busy}}).ok());
  service_.serve([](const std::string&, int) { return reply("200 OK", "", kGsToken); });  // of something else
  const std::string other = service_.url("").substr(std::string("http://").size());
  const Status none = find({{"HOME", directory_.path()}, {"GCE_METADATA_HOST", other}}).status();
  EXPECT_EQ(none.code(), StatusCode::kPermissionDenied);
  EXPECT_NE(message(none).find("application_default_credentials.json"), std::string_view::npos) << none;
  EXPECT_NE(message(none).find("FOREBAY_GS_ANONYMOUS"), std::string_view::npos) << none;
}

}  // namespace
}  // namespace forebay::storage
