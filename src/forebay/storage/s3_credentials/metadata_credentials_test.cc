// Keys from metadata services, played by a server on the loopback interface.

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <semaphore>
#include <string>
#include <utility>

#include "forebay/net/testing/scripted_server.h"
#include "forebay/storage/remote/environment.h"
#include "forebay/storage/s3_credentials/credential_sources.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

constexpr char kKeysJson[] =
    R"({"Code":"Success","AccessKeyId":"id","SecretAccessKey":"hidden","Token":"tok",)"
    R"("Expiration":"2030-01-01T00:00:00Z"})";

std::string answer_text(const std::string& body, const std::string& status = "200 OK") {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

Result<CredentialsRef> fetch_now(CredentialsSource& source) {
  std::binary_semaphore answered(0);
  Result<CredentialsRef> found = unavailable("not answered");
  source.fetch([&](Result<CredentialsRef> keys) {
    found = std::move(keys);
    answered.release();
  });
  answered.acquire();
  return found;
}

/// Answers each request by its first line and headers.
using Respond = std::function<std::string(const std::string& request)>;

struct MetadataTest : ::testing::Test {
  net::testing::ScriptedServer& serve(Respond respond) {
    return server.emplace([respond](net::testing::ScriptedConnection& connection, int) {
      for (std::string request = connection.read_request(); !request.empty();
           request = connection.read_request()) {
        connection.send(respond(request));
      }
    });
  }

  std::optional<net::testing::ScriptedServer> server;
  net::HttpClient client{{.stall_timeout_s = 600, .uses_proxy = false}};
};

TEST_F(MetadataTest, ContainersGiveKeysForTheirToken) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "token") << "Bearer t0\n";
  serve([](const std::string& request) {
    const bool has_token = request.find("\r\nAuthorization: Bearer t0\r\n") != std::string::npos;
    return request.starts_with("GET /keys ") && has_token ? answer_text(kKeysJson)
                                                          : answer_text("", "403 Forbidden");
  });
  StoreVariables variables = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", server->url("/keys")},
                              {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", directory / "token"}};
  ContainerCredentials source(environment_of(variables), client);
  const Result<CredentialsRef> keys = fetch_now(source);
  ASSERT_TRUE(keys.ok()) << keys.status();
  EXPECT_EQ((*keys)->keys.session_token, "tok");
  EXPECT_EQ((*keys)->expires_s, 1'893'456'000);
  variables["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = directory / "none";
  ContainerCredentials without(environment_of(variables), client);
  EXPECT_FALSE(fetch_now(without).ok());
  variables["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = directory / "";  // cannot be read
  ContainerCredentials unreadable(environment_of(variables), client);
  const Status status = fetch_now(unreadable).status();
  EXPECT_NE(message(status).find(directory / ""), std::string_view::npos) << status;
}

TEST_F(MetadataTest, KeysDoNotTravelInTheClear) {
  const std::pair<const char*, StatusCode> cases[] = {
      {"http://example.com/keys", StatusCode::kInvalidArgument},
      {"http://localhost.example.com/keys", StatusCode::kInvalidArgument},
      {"http://localhost@example.com/", StatusCode::kInvalidArgument},
      {"http://localhost:80@example.com/", StatusCode::kInvalidArgument},
      {"ftp://localhost/", StatusCode::kInvalidArgument}};
  for (const auto& [url, code] : cases) {
    ContainerCredentials source(environment_of({{"AWS_CONTAINER_CREDENTIALS_FULL_URI", url}}), client);
    EXPECT_EQ(fetch_now(source).status().code(), code) << url;
  }
  ContainerCredentials none(environment_of({}), client);
  EXPECT_EQ(fetch_now(none).status().code(), StatusCode::kNotFound);
  ContainerCredentials split(environment_of({{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://localhost/"},
                                             {"AWS_CONTAINER_AUTHORIZATION_TOKEN", "a\r\nb"}}),
                             client);
  EXPECT_EQ(fetch_now(split).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(MetadataTest, InstancesGiveTheKeysOfTheirRole) {
  serve([](const std::string& request) {
    if (request.starts_with("PUT /latest/api/token ")) {
      return answer_text("session");
    }
    const bool has_token = request.find("\r\nX-aws-ec2-metadata-token: session\r\n") != std::string::npos;
    const std::string path = "GET /latest/meta-data/iam/security-credentials/";
    if (!has_token || !request.starts_with(path)) {
      return answer_text("", "401 Unauthorized");
    }
    return answer_text(request.substr(path.size()).starts_with("my%20role ") ? kKeysJson : "my role\nother");
  });
  InstanceCredentials source(environment_of({{"AWS_EC2_METADATA_SERVICE_ENDPOINT", server->url("/")}}),
                             client);
  const Result<CredentialsRef> keys = fetch_now(source);
  ASSERT_TRUE(keys.ok()) << keys.status();
  EXPECT_EQ((*keys)->keys.access_key_id, "id");
}

TEST_F(MetadataTest, InstancesMayFailForAMoment) {
  for (const int failures : {1, 2}) {
    int left = failures;
    serve([&](const std::string& request) {
      if (request.starts_with("PUT")) {
        return left-- > 0 ? answer_text("", "503 Service Unavailable") : answer_text("session");
      }
      return answer_text(request.find("my%20role") == std::string::npos ? "my role" : kKeysJson);
    });
    InstanceCredentials source(environment_of({{"AWS_EC2_METADATA_SERVICE_ENDPOINT", server->url("/")}}),
                               client);
    EXPECT_EQ(fetch_now(source).status().code(), failures == 1 ? StatusCode::kOk : StatusCode::kUnavailable);
  }
}

TEST_F(MetadataTest, InstancesMayHaveNone) {
  serve([](const std::string& request) {
    return request.starts_with("PUT") ? answer_text("session") : answer_text("", "404 Not Found");
  });
  InstanceCredentials no_role(environment_of({{"AWS_EC2_METADATA_SERVICE_ENDPOINT", server->url("/")}}),
                              client);
  EXPECT_EQ(fetch_now(no_role).status().code(), StatusCode::kNotFound);
  InstanceCredentials off(environment_of({{"AWS_EC2_METADATA_DISABLED", "true"}}), client);
  EXPECT_EQ(fetch_now(off).status().code(), StatusCode::kNotFound);
}

TEST(CredentialsJson, BrokenAnswersAreErrorsWithoutTheirText) {
  const std::string broken[] = {
      "",
      "hidden",
      "[]",
      "{\"AccessKeyId\":\"a\"}",
      "{\"AccessKeyId\":1,\"SecretAccessKey\":\"hidden\"}",
      "{\"AccessKeyId\":\"a\\r\\nb\",\"SecretAccessKey\":\"hidden\"}",
      "{\"AccessKeyId\":\"a\",\"SecretAccessKey\":\"hidden\",\"Expiration\":\"hidden\"}",
      std::string(100'000, '['),
      std::string(kKeysJson).substr(0, 60)};
  for (const std::string& json : broken) {
    const Status status = parse_credentials_json(json).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << json.substr(0, 80);
    EXPECT_EQ(message(status).find("hidden"), std::string_view::npos) << status;
  }
  EXPECT_EQ((*parse_credentials_json("{\"AccessKeyId\":\"a\",\"SecretAccessKey\":\"s\"}"))->expires_s,
            kNeverExpires);
}

}  // namespace
}  // namespace forebay::storage
