#include "forebay/storage/az/az_options.h"

#include <gtest/gtest.h>

#include <map>

namespace forebay::storage {
namespace {

class AzOptionsTest : public ::testing::Test {
 protected:
  static Result<AzConfiguration> configure(const AzOptions& options, const std::string& name = {},
                                           const std::string& value = {}) {
    return configure_az(options, [&](const std::string& asked) {
      return asked == name ? std::optional(value) : std::nullopt;
    });
  }
};

TEST_F(AzOptionsTest, AnAccountHasAnEndpoint) {
  const Result<AzConfiguration> known = configure({.account = "me", .account_key = "a2V5"});
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_EQ(known->endpoint.url(), "https://me.blob.core.windows.net");
  EXPECT_EQ(known->key, "key");
  EXPECT_EQ(configure({}, "AZURE_STORAGE_ACCOUNT", "you")->account, "you");
  EXPECT_EQ(configure({}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(AzOptionsTest, AConnectionStringSaysAll) {
  const std::string text =
      "DefaultEndpointsProtocol=https;AccountName=me;AccountKey=a2V5PT0=;EndpointSuffix=core.example";
  const Result<AzConfiguration> known = configure({}, "AZURE_STORAGE_CONNECTION_STRING", text);
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_EQ(known->endpoint.url(), "https://me.blob.core.example");
  EXPECT_EQ(known->key, "key==");
  const Result<AzConfiguration> emulator = configure({.connection_string = "UseDevelopmentStorage=true"});
  ASSERT_TRUE(emulator.ok()) << emulator.status();
  EXPECT_EQ(emulator->account, "devstoreaccount1");
  EXPECT_EQ(configure({.connection_string = "hidden"}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(AzOptionsTest, WhoSaysWhoAsksTakesNoSecretOfTheEnvironment) {
  const AzOptions options = {.account = "me", .anonymous = true};
  const Result<AzConfiguration> known = configure(options, "AZURE_STORAGE_KEY", "a2V5");
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_TRUE(known->key.empty());
  EXPECT_EQ(configure({.account = "me"}, "AZURE_STORAGE_KEY", "a2V5")->key, "key");
}

TEST_F(AzOptionsTest, AUriMayNameTheAccount) {
  const auto parse = [](const std::string& text) { return parse_az_place(*parse_uri(text)); };
  const Result<AzPlace> place = parse("abfs://box@me.dfs.core.windows.net/a");
  ASSERT_TRUE(place.ok()) << place.status();
  EXPECT_EQ(place->container, "box");
  EXPECT_EQ(place->account, "me");
  EXPECT_EQ(place->endpoint, "https://me.blob.core.windows.net");
  EXPECT_EQ(parse("abfss://box@me.blob.core.chinacloudapi.cn")->endpoint,
            "https://me.blob.core.chinacloudapi.cn");
  EXPECT_EQ(parse("abfs://box/a")->account, "");
  for (const char* const wrong :
       {"abfs://box@me.dfs.core.windows.net.evil.example/a", "abfs://box@evil.example/a", "abfs://box@/a",
        "abfs://box@.dfs.core.windows.net/a", "abfs://box@a.b.dfs.core.windows.net/a",
        "abfs://id:secret@me.dfs.core.windows.net/a", "abfs://@me.dfs.core.windows.net/a", "abfs:///a",
        "az://secret@me.dfs.core.windows.net/a"}) {
    const Status status = parse(wrong).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << wrong;
    EXPECT_EQ(message(status).find("secret"), std::string_view::npos) << status;
  }
}

// Who names somebody's account in a URI must not get the secrets of another one.
TEST_F(AzOptionsTest, AnAccountInAUriGetsItsOwnSecretsOnly) {
  using Settings = std::map<std::string, std::string>;
  const AzPlace place = *parse_az_place(*parse_uri("abfs://box@me.dfs.core.windows.net/a"));
  const auto configure = [&](const AzOptions& options, const Settings& environment) {
    return configure_az(
        options,
        [&](const std::string& asked) {
          const auto found = environment.find(asked);
          return found == environment.end() ? std::nullopt : std::optional(found->second);
        },
        place);
  };
  const auto is_me = [](const Result<AzConfiguration>& known, bool with_proof) {
    return known.ok() && known->account == "me" &&
           known->endpoint.url() == "https://me.blob.core.windows.net" &&
           (!known->key.empty() || !known->sas.empty()) == with_proof;
  };
  const std::string theirs = "AccountName=you;AccountKey=a2V5";
  EXPECT_TRUE(is_me(configure({}, {}), false)) << "a public one";
  EXPECT_TRUE(is_me(configure({}, {{"AZURE_STORAGE_ACCOUNT", "you"}}), false));
  EXPECT_TRUE(is_me(configure({}, {{"AZURE_STORAGE_ACCOUNT", "me"}, {"AZURE_STORAGE_KEY", "a2V5"}}), true));
  EXPECT_TRUE(
      is_me(configure({}, {{"AZURE_STORAGE_CONNECTION_STRING", "AccountName=me;AccountKey=a2V5"}}), true));
  EXPECT_TRUE(is_me(configure({.sas_token = "sig=x"}, {{"AZURE_STORAGE_ACCOUNT", "you"}}), true));
  EXPECT_TRUE(is_me(configure({.anonymous = true}, {{"AZURE_STORAGE_CONNECTION_STRING", theirs}}), false));
  EXPECT_TRUE(is_me(
      configure({}, {{"AZURE_STORAGE_CONNECTION_STRING", theirs}, {"FOREBAY_AZ_ANONYMOUS", "true"}}), false));
  for (const Settings& environment :
       {Settings{{"AZURE_STORAGE_SAS_TOKEN", "sig=hidden"}}, Settings{{"AZURE_STORAGE_KEY", "aGlkZGVu"}},
        Settings{{"AZURE_STORAGE_ACCOUNT", "you"}, {"AZURE_STORAGE_SAS_TOKEN", "sig=hidden"}},
        Settings{{"AZURE_STORAGE_CONNECTION_STRING", theirs}}}) {
    const Status status = configure({}, environment).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
    EXPECT_NE(message(status).find("'me'"), std::string_view::npos) << status;
    EXPECT_EQ(message(status).find("hidden"), std::string_view::npos) << status;
  }
  EXPECT_FALSE(configure({.account = "you"}, {}).ok());
  EXPECT_FALSE(configure({.connection_string = theirs}, {}).ok());
}

TEST_F(AzOptionsTest, SecretsAreNotShown) {
  for (const AzOptions& options :
       {AzOptions{.account = "me", .account_key = "hidden!"},
        AzOptions{.account = "me", .sas_token = "hidden"},
        AzOptions{.account = "me", .endpoint = "http://far.example", .sas_token = "sig=hidden"},
        AzOptions{.endpoint = "https://far.example", .account_key = "aGlkZGVu"}}) {
    const Status status = configure(options).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
    EXPECT_EQ(message(status).find("hidden"), std::string_view::npos) << status;
    EXPECT_EQ(message(status).find("aGlkZGVu"), std::string_view::npos) << status;
  }
}

}  // namespace
}  // namespace forebay::storage
