#include "forebay/storage/az/az_options.h"

#include <gtest/gtest.h>

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
