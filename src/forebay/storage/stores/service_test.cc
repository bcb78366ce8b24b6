// What tells the objects of two services apart whose URIs are the same.
#include <gtest/gtest.h>

#include <string>

#include "forebay/storage/stores/store_registry.h"

namespace forebay::storage {
namespace {

std::string service_of(const std::string& uri, const StoreOptions& options) {
  StoreRegistry registry;
  const Result<ObjectAddress> address = registry.open(*parse_uri(uri), {.options = options});
  EXPECT_TRUE(address.ok()) << address.status();
  return address.ok() ? address->store->service() : "";
}

TEST(StoreService, NamesTheEndpointOfBuckets) {
  const StoreOptions keys = {{"access_key_id", "someone"}, {"secret_access_key", "unspeakable"}};
  const auto at = [&](const std::string& endpoint) {
    StoreOptions options = keys;
    options["endpoint"] = endpoint;
    return service_of("s3://bucket/k", options);
  };
  EXPECT_NE(at("http://one.example"), at("http://two.example"));
  EXPECT_EQ(at("http://one.example"), at("http://one.example"));
  EXPECT_EQ(at("http://one.example").find("unspeakable"), std::string::npos);
  EXPECT_NE(service_of("gs://bucket/k", {{"endpoint", "http://one.example"}, {"anonymous", "true"}}),
            service_of("gs://bucket/k", {{"anonymous", "true"}}));
}

TEST(StoreService, OfAwsIsTheSameInAllRegionsOfAPartition) {
  const auto in = [](const std::string& region) {
    return service_of("s3://bucket/k", {{"region", region}, {"anonymous", "true"}});
  };
  EXPECT_EQ(in("us-east-1"), in("eu-west-3"));
  EXPECT_NE(in("us-east-1"), in("cn-north-1"));
}

TEST(StoreService, NamesTheAccountOfContainers) {
  const auto of = [](const std::string& account) {
    return service_of("az://container/k", {{"account", account}, {"anonymous", "true"}});
  };
  EXPECT_NE(of("accountone"), of("accounttwo"));
  EXPECT_EQ(of("accountone"), of("accountone"));
}

TEST(StoreService, IsEmptyWhereUrisSayAll) {
  EXPECT_EQ(service_of("http://host/k", {{"bytes_per_second", "1e9"}}), "");
}

}  // namespace
}  // namespace forebay::storage
