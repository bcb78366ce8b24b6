#include "forebay/storage/s3/s3_options.h"

#include <gtest/gtest.h>

#include "forebay/storage/remote/environment.h"
#include "forebay/storage/s3/s3_stores.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

Result<S3Configuration> configure(const S3Options& options, const StoreVariables& variables,
                                  const Profile& profile = {}) {
  return configure_s3(options, environment_of(variables), profile);
}

std::string url_of(const S3Configuration& configuration, std::string_view bucket, std::string_view key) {
  return locate(configuration, configuration.region, bucket, key).url({});
}

TEST(S3Options, AwsIsAddressedByHostName) {
  const S3Configuration aws = *configure({}, {});
  EXPECT_EQ(url_of(aws, "bucket", "a/b c"), "https://bucket.s3.us-east-1.amazonaws.com/a/b%20c");
  EXPECT_EQ(url_of(aws, "bucket", ""), "https://bucket.s3.us-east-1.amazonaws.com/");
  EXPECT_EQ(url_of(aws, "with.dots", "k"), "https://s3.us-east-1.amazonaws.com/with.dots/k");
  EXPECT_EQ(url_of(aws, "Upper_case", "k"), "https://s3.us-east-1.amazonaws.com/Upper_case/k");
  EXPECT_EQ(url_of(*configure({.path_style = true}, {}), "bucket", ""),
            "https://s3.us-east-1.amazonaws.com/bucket");
  EXPECT_EQ(url_of(*configure({.region = "cn-north-1"}, {}), "bucket", "k"),
            "https://bucket.s3.cn-north-1.amazonaws.com.cn/k");
}

TEST(S3Options, OtherServersAreAddressedByPath) {
  const S3Configuration own = *configure({.endpoint = "HTTP://host:9000/api/v1/s3/"}, {});
  EXPECT_EQ(url_of(own, "bucket", "k?"), "http://host:9000/api/v1/s3/bucket/k%3F");
  EXPECT_EQ(url_of(*configure({.endpoint = "http://host", .path_style = false}, {}), "bucket", "k"),
            "http://bucket.host/k");
  EXPECT_EQ(url_of(*configure({.endpoint = "https://host:443"}, {}), "b", "k"), "https://host/b/k");
  EXPECT_EQ(url_of(*configure({.endpoint = "http://host:80"}, {}), "b", "k"), "http://host/b/k");
}

TEST(S3Options, TheCallerWinsThenTheEnvironmentThenTheProfile) {
  Profile profile;
  profile.settings = {
      {"region", "r-profile"}, {"endpoint_url", "http://profile"}, {"s3.addressing_style", "virtual"}};
  const S3Configuration of_profile = *configure({}, {}, profile);
  EXPECT_EQ(of_profile.region, "r-profile");
  EXPECT_EQ(of_profile.endpoint->host, "profile");
  EXPECT_FALSE(of_profile.path_style);
  profile.services = {{"s3.endpoint_url", "http://services"}};
  EXPECT_EQ(configure({}, {}, profile)->endpoint->host, "services");
  StoreVariables variables = {{"AWS_DEFAULT_REGION", "r-default"}, {"AWS_ENDPOINT_URL", "http://all"}};
  EXPECT_EQ(configure({}, variables, profile)->region, "r-default");
  EXPECT_EQ(configure({}, variables, profile)->endpoint->host, "all");
  variables.merge(StoreVariables{
      {"AWS_REGION", "r-env"}, {"AWS_ENDPOINT_URL_S3", "http://s3only"}, {"FOREBAY_S3_ADDRESSING", "path"}});
  EXPECT_EQ(configure({}, variables, profile)->region, "r-env");
  EXPECT_EQ(configure({}, variables, profile)->endpoint->host, "s3only");
  EXPECT_TRUE(configure({}, variables, profile)->path_style);
  const S3Options given = {.endpoint = "http://given", .region = "r-given", .path_style = false};
  EXPECT_EQ(configure(given, variables, profile)->region, "r-given");
  EXPECT_EQ(configure(given, variables, profile)->endpoint->host, "given");
  EXPECT_FALSE(configure(given, variables, profile)->path_style);
  variables["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "true";
  EXPECT_FALSE(configure({}, variables, profile)->endpoint.has_value());
}

TEST(S3Options, WrongSettingsAreRefused) {
  for (const char* endpoint :
       {"host", "ftp://host", "http://", "http://h?x", "http://h#x", "http://user:pw@h"}) {
    const Status status = configure({.endpoint = endpoint}, {}).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << endpoint;
    EXPECT_EQ(message(status).find("pw"), std::string_view::npos) << status;
  }
  EXPECT_FALSE(configure({.region = "a/b"}, {}).ok());
  EXPECT_FALSE(configure({}, {{"FOREBAY_S3_ADDRESSING", "both"}}).ok());
  EXPECT_FALSE(check_bucket_name("").ok());
  EXPECT_FALSE(check_bucket_name("..").ok());
  EXPECT_FALSE(check_bucket_name("a@b").ok());
  EXPECT_FALSE(check_bucket_name("a:80").ok());
  EXPECT_TRUE(check_bucket_name("a.b-c_D9").ok());
}

TEST(S3Options, AFileThatNobodyAskedForNeedNotBeReadable) {
  const TemporaryDirectory directory;
  StoreVariables variables = {{"AWS_CONFIG_FILE", directory.path()}};  // a folder, not a file
  const auto opens = [&](const S3Options& options) {
    return open_s3_store("bucket", options, environment_of(variables)).ok();
  };
  EXPECT_TRUE(opens({.anonymous = true}));
  EXPECT_TRUE(opens({.credentials = {"id", "secret", ""}}));
  EXPECT_FALSE(opens({}));
  EXPECT_FALSE(opens({.profile = "named", .anonymous = true}));
  variables["AWS_ACCESS_KEY_ID"] = "id";
  EXPECT_TRUE(opens({}));
  variables["AWS_PROFILE"] = "named";
  EXPECT_FALSE(opens({}));
}

TEST(S3Options, HalfAKeyIsRefused) {
  const auto open = [](const net::AwsCredentials& keys) {
    return open_s3_store("bucket", {.credentials = keys}, environment_of({})).status();
  };
  EXPECT_EQ(open({.access_key_id = "id"}).code(), StatusCode::kInvalidArgument);
  const Status half = open({.secret_access_key = "hidden", .session_token = "hidden"});
  EXPECT_EQ(half.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(message(half).find("hidden"), std::string_view::npos) << half;
}

TEST(S3Options, AreMadeOfAMountsOptions) {
  const auto parse = [](const StoreOptions& given) { return parse_options("s3", s3_options(), given); };
  const Result<S3Options> options = parse({{"endpoint", "http://h"},
                                           {"region", "r"},
                                           {"addressing", "virtual"},
                                           {"anonymous", "true"},
                                           {"access_key_id", "id"},
                                           {"secret_access_key", "hidden"}});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->endpoint, "http://h");
  EXPECT_EQ(options->path_style, false);
  EXPECT_TRUE(options->anonymous);
  EXPECT_EQ(options->credentials.secret_access_key, "hidden");
  const Status unknown = parse({{"secret", "hidden"}}).status();
  EXPECT_EQ(unknown.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(message(unknown).find("hidden"), std::string_view::npos) << unknown;
  EXPECT_FALSE(parse({{"addressing", "x"}}).ok());
  EXPECT_FALSE(parse({{"anonymous", "x"}}).ok());
}

}  // namespace
}  // namespace forebay::storage
