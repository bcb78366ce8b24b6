#include "forebay/storage/webhdfs/webhdfs_options.h"

#include <gtest/gtest.h>

namespace forebay::storage {
namespace {

Result<WebhdfsConfiguration> configured(std::string_view scheme, std::string_view authority,
                                        const WebhdfsOptions& options = {}) {
  return configure_webhdfs(scheme, authority, options,
                           [](const std::string& name) { return std::optional<std::string>("env " + name); });
}

TEST(WebhdfsOptions, HostsOfOneClusterAreNamedWithOrWithoutPorts) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"one", {"http://one:9870"}},
      {"one:1,two:2", {"http://one:1", "http://two:2"}},
      {"[::1],[::1]:7", {"http://[::1]:9870", "http://[::1]:7"}}};
  for (const auto& [authority, urls] : cases) {
    const Result<WebhdfsConfiguration> configuration = configured("webhdfs", authority);
    ASSERT_TRUE(configuration.ok()) << configuration.status();
    ASSERT_EQ(configuration->namenodes.size(), urls.size());
    for (size_t i = 0; i < urls.size(); ++i) {
      EXPECT_EQ(configuration->namenodes[i].url(), urls[i]);
    }
  }
  EXPECT_EQ(configured("swebhdfs", "one")->namenodes[0].url(), "https://one:9871");
  for (const std::string& authority :
       {std::string(), std::string(","), std::string("a,"), std::string("user@host"), std::string("a b"),
        std::string("a:notaport"), std::string("1,2,3,4,5,6,7,8,9")}) {
    EXPECT_EQ(configured("webhdfs", authority).status().code(), StatusCode::kInvalidArgument) << authority;
  }
}

TEST(WebhdfsOptions, WhoAsksIsSaidByTheOptionsThenByTheEnvironment) {
  EXPECT_EQ(configured("webhdfs", "host")->user, "env HADOOP_USER_NAME");
  EXPECT_EQ(configured("webhdfs", "host", {.user = "me"})->user, "me");
  const Result<WebhdfsConfiguration> none = configure_webhdfs(
      "webhdfs", "host", {}, [](const std::string&) { return std::optional<std::string>(); });
  EXPECT_EQ(none->user, "");
}

TEST(WebhdfsOptions, ATokenDoesNotTravelInTheClearUnlessToldTo) {
  const WebhdfsOptions options = {.user = "me", .delegation_token = "hidden"};
  EXPECT_EQ(configured("swebhdfs", "host", options)->token, "hidden");
  EXPECT_EQ(configured("swebhdfs", "host", options)->user, "");
  EXPECT_EQ(configured("webhdfs", "127.0.0.1:1", options)->token, "hidden");
  const Status refused = configured("webhdfs", "127.0.0.1:1,host", options).status();
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(message(refused).find("hidden"), std::string_view::npos);
  const Result<WebhdfsOptions> allowed = parse_options(
      "webhdfs", webhdfs_options(), {{"delegation_token", "hidden"}, {"token_in_clear", "true"}});
  ASSERT_TRUE(allowed.ok()) << allowed.status();
  EXPECT_EQ(configured("webhdfs", "host", *allowed)->token, "hidden");
  const Status broken = configured("swebhdfs", "host", {.delegation_token = "hid\nden"}).status();
  EXPECT_EQ(broken.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(message(broken).find("den\""), std::string_view::npos);
}

TEST(WebhdfsOptions, WhatIsNoOptionIsRefused) {
  const auto parse = [](const StoreOptions& given) {
    return parse_options("webhdfs", webhdfs_options(), given);
  };
  EXPECT_EQ(parse({{"users", "me"}}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(parse({{"token_in_clear", "perhaps"}}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(parse({{"requests_per_second", "0"}}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(parse({{"user", "me"}})->user, "me");
}

TEST(WebhdfsOptions, KeysArePathsWithoutEmptyParts) {
  for (const char* key : {"", "a", "a/", "a/b", "a b/c", "...", ".a", "a:b", "\xc3\xa9"}) {
    EXPECT_TRUE(check_webhdfs_key(key, "uri").ok()) << key;
  }
  for (const std::string& key :
       {std::string("/"), std::string("/a"), std::string("a//"), std::string("a//b"), std::string("."),
        std::string("../a"), std::string("a/.."), std::string("a/./b"), std::string("\xff"),
        std::string("a\0b", 3), std::string(8001, 'a')}) {
    EXPECT_EQ(check_webhdfs_key(key, "uri").code(), StatusCode::kInvalidArgument) << key;
  }
}

}  // namespace
}  // namespace forebay::storage
