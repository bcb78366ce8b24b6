#include "forebay/storage/remote/http_clients.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace forebay::storage {
namespace {

TEST(HttpClients, OneForEachWayToTheNetwork) {
  const auto client_of = [](StoreVariables variables) {
    return *http_client_of(environment_of(std::move(variables)));
  };
  EXPECT_EQ(*http_client_of(process_environment), &net::process_http_client());
  const StoreVariables proxied = {{"https_proxy", "http://proxy:1"}, {"no_proxy", "here"}};
  net::HttpClient* const client = client_of(proxied);
  EXPECT_NE(client, &net::process_http_client());
  EXPECT_EQ(client_of(proxied), client);
  EXPECT_EQ(client->options().proxies->https, "http://proxy:1");
  EXPECT_EQ(client->options().proxies->http, "");
  EXPECT_EQ(client->options().proxies->not_for, "here");
  StoreVariables keyed = proxied;
  keyed["AWS_ACCESS_KEY_ID"] = "key";
  EXPECT_EQ(client_of(keyed), client) << "keys are no way to the network";
}

TEST(HttpClients, AreReadAsCurlReadsThem) {
  const auto options_of = [](StoreVariables variables) {
    return (*http_client_of(environment_of(std::move(variables))))->options();
  };
  const net::HttpClientOptions all =
      options_of({{"ALL_PROXY", "socks5://p:1"}, {"https_proxy", "http://p:2"}});
  EXPECT_EQ(all.proxies->http, "socks5://p:1");
  EXPECT_EQ(all.proxies->https, "http://p:2");
  const net::HttpClientOptions upper =
      options_of({{"HTTPS_PROXY", "http://p:3"}, {"SSL_CERT_FILE", "/certificates"}});
  EXPECT_EQ(upper.proxies->https, "http://p:3");
  EXPECT_EQ(upper.ca_file, "/certificates");
}

TEST(HttpClients, ThereAreOnlySoMany) {
  HttpClients clients;
  const auto open = [&](size_t number) {
    return clients.of(environment_of({{"http_proxy", "http://p:" + std::to_string(number)}})).status();
  };
  for (size_t number = 0; number < HttpClients::kMost; ++number) {
    EXPECT_TRUE(open(number).ok());
  }
  EXPECT_EQ(open(HttpClients::kMost).code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(open(0).ok());
}

}  // namespace
}  // namespace forebay::storage
