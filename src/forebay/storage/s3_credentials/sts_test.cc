// Keys of roles, from a token service that says what the test tells it to.

#include "forebay/storage/s3_credentials/sts.h"
#include "forebay/storage/s3/allowed_credentials.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <semaphore>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/remote/environment.h"
#include "forebay/storage/s3_credentials/credential_sources.h"
#include "forebay/storage/testing/scripted_store.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

std::string keys_xml(const std::string& action, const std::string& id) {
  return "<" + action + "Response xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><" + action +
         "Result><AssumedRoleUser><Arn>a</Arn></AssumedRoleUser><Credentials><AccessKeyId>" + id +
         "</AccessKeyId><SecretAccessKey>hidden-" + id + "</SecretAccessKey><SessionToken>token-" + id +
         "</SessionToken><Expiration>2030-01-01T00:00:00Z</Expiration></Credentials></" + action +
         "Result></" + action + "Response>";
}

std::string error_reply(const std::string& status, const std::string& code) {
  return reply(status, "",
               "<ErrorResponse><Error><Type>Sender</Type><Code>" + code +
                   "</Code><Message>not you</Message></Error></ErrorResponse>");
}

std::string header_in(const std::string& request, const std::string& name) {
  const std::string before = "\r\n" + name + ": ";
  const size_t at = request.find(before);
  const size_t begin = at + before.size();
  return at == std::string::npos ? "" : request.substr(begin, request.find("\r\n", begin) - begin);
}

/// The value of a field of the request's form, as it is written.
std::string field_in(const std::string& request, const std::string& name) {
  const std::string form = "&" + request.substr(request.find("\r\n\r\n") + 4) + "&";
  const size_t at = form.find("&" + name + "=");
  const size_t begin = at + name.size() + 2;
  return at == std::string::npos ? "" : form.substr(begin, form.find('&', begin) - begin);
}

class StsTest : public ::testing::Test {
 protected:
  /// Gives "one" to the first request, "two" to the second.
  void serve_keys() {
    service_.serve([this](const std::string& request, int number) {
      const MutexLock lock(mutex_);
      requests_.push_back(request);
      return reply("200 OK", "", keys_xml(field_in(request, "Action"), number == 0 ? "one" : "two"));
    });
    variables_["AWS_ENDPOINT_URL_STS"] = service_.url();
  }
  void write_config(const std::string& text) {
    std::ofstream(directory_ / "config") << text;
    variables_["AWS_CONFIG_FILE"] = directory_ / "config";
  }
  Result<CredentialsRef> find_keys(const S3Options& options = {}) {
    StoreVariables variables = variables_;
    variables.emplace("AWS_EC2_METADATA_DISABLED", "true");
    FOREBAY_ASSIGN_OR_RETURN(
        const std::shared_ptr<CredentialsSource> source,
        credentials_of(options, environment_of(variables), service_.client, service_.client));
    std::binary_semaphore answered(0);
    Result<CredentialsRef> found = unavailable("not answered");
    source->fetch([&](Result<CredentialsRef> keys) {
      found = std::move(keys);
      answered.release();
    });
    answered.acquire();
    EXPECT_EQ(message(found.status()).find("hidden"), std::string_view::npos) << found.status();
    return found;
  }
  std::string request(size_t number) {
    const MutexLock lock(mutex_);
    return number < requests_.size() ? requests_[number] : "";
  }

  const TemporaryDirectory directory_;
  StoreVariables variables_;
  Mutex mutex_;
  std::vector<std::string> requests_ FOREBAY_GUARDED_BY(mutex_);
  ScriptedService service_;
};

TEST_F(StsTest, ARoleIsAssumedWithTheKeysOfAnotherProfile) {
  serve_keys();
  write_config(
      "[profile base]\naws_access_key_id = base\naws_secret_access_key = hidden\n"
      "[profile training]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = base\nregion = eu-west-1\n"
      "external_id = other party\nrole_session_name = me\nduration_seconds = 900\n");
  const Result<CredentialsRef> keys = find_keys({.profile = "training"});
  ASSERT_TRUE(keys.ok()) << keys.status();
  EXPECT_EQ((*keys)->keys.access_key_id, "one");
  EXPECT_EQ((*keys)->keys.secret_access_key, "hidden-one");
  EXPECT_EQ((*keys)->keys.session_token, "token-one");
  EXPECT_EQ((*keys)->expires_s, 1'893'456'000);
  EXPECT_EQ(field_in(request(0), "Action"), "AssumeRole");
  EXPECT_EQ(field_in(request(0), "RoleArn"), "arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr");
  EXPECT_EQ(field_in(request(0), "RoleSessionName"), "me");
  EXPECT_EQ(field_in(request(0), "ExternalId"), "other%20party");
  EXPECT_EQ(field_in(request(0), "DurationSeconds"), "900");
  const std::string authorization = header_in(request(0), "authorization");
  EXPECT_NE(authorization.find("Credential=base/"), std::string::npos) << authorization;
  EXPECT_NE(authorization.find("/eu-west-1/sts/aws4_request"), std::string::npos) << authorization;
  EXPECT_EQ(request(0).find("hidden"), std::string::npos);
}

TEST_F(StsTest, SignaturesAreThoseThatTheServiceComputes) {
  serve_keys();
  write_config(
      "[default]\naws_access_key_id = own\naws_secret_access_key = hidden\nrole_arn = r\n"
      "source_profile = default\n");
  ASSERT_TRUE(find_keys().ok());
  const std::string sent = request(0);
  const std::string body = sent.substr(sent.find("\r\n\r\n") + 4);
  const std::string time = header_in(sent, "x-amz-date");
  net::AwsRequest covered = {.method = "POST",
                             .headers = {{"content-type", header_in(sent, "content-type")},
                                         {"host", header_in(sent, "Host")},
                                         {"x-amz-content-sha256", header_in(sent, "x-amz-content-sha256")},
                                         {"x-amz-date", time}},
                             .payload_hash = net::sha256_hex(std::as_bytes(std::span(body)))};
  const int64_t seconds =
      *parse_iso_time(time.substr(0, 4) + "-" + time.substr(4, 2) + "-" + time.substr(6, 5) + ":" +
                      time.substr(11, 2) + ":" + time.substr(13, 3)) /
      1'000'000'000;
  const net::AwsScope scope = {.unix_seconds = seconds, .region = "us-east-1", .service = "sts"};
  EXPECT_NE(header_in(sent, "authorization").find(net::aws_signature(covered, scope, "hidden")),
            std::string::npos)
      << sent;
}

TEST_F(StsTest, RolesMayLeadToRoles) {
  serve_keys();
  write_config(
      "[default]\nrole_arn = outer\nsource_profile = middle\n"
      "[profile middle]\nrole_arn = inner\ncredential_source = Environment\n");
  variables_["AWS_ACCESS_KEY_ID"] = "env";
  variables_["AWS_SECRET_ACCESS_KEY"] = "hidden";
  const Result<CredentialsRef> keys = find_keys({.profile = "default"});
  ASSERT_TRUE(keys.ok()) << keys.status();
  EXPECT_EQ((*keys)->keys.access_key_id, "two");
  EXPECT_EQ(field_in(request(0), "RoleArn"), "inner");
  EXPECT_NE(header_in(request(0), "authorization").find("Credential=env/"), std::string::npos);
  EXPECT_EQ(field_in(request(1), "RoleArn"), "outer");
  EXPECT_NE(header_in(request(1), "authorization").find("Credential=one/"), std::string::npos);
  EXPECT_EQ(header_in(request(1), "x-amz-security-token"), "token-one");
}

TEST_F(StsTest, ATokenOfAnotherProviderIsExchanged) {
  serve_keys();
  std::ofstream(directory_ / "token") << "hidden/jwt\n";
  variables_["AWS_ROLE_ARN"] = "r";
  variables_["AWS_ROLE_SESSION_NAME"] = "pod";
  variables_["AWS_WEB_IDENTITY_TOKEN_FILE"] = directory_ / "token";
  ASSERT_EQ((*find_keys())->keys.access_key_id, "one");
  EXPECT_EQ(field_in(request(0), "Action"), "AssumeRoleWithWebIdentity");
  EXPECT_EQ(field_in(request(0), "RoleSessionName"), "pod");
  EXPECT_EQ(field_in(request(0), "WebIdentityToken"), "hidden%2Fjwt");
  EXPECT_EQ(header_in(request(0), "authorization"), "");
  std::ofstream(directory_ / "token") << "renewed";
  ASSERT_EQ((*find_keys())->keys.access_key_id, "two");
  EXPECT_EQ(field_in(request(1), "WebIdentityToken"), "renewed");
  write_config("[profile eks]\nrole_arn = q\nweb_identity_token_file = " + (directory_ / "token") + "\n");
  EXPECT_TRUE(find_keys({.profile = "eks"}).ok());
  EXPECT_EQ(field_in(request(2), "RoleArn"), "q");
}

TEST_F(StsTest, WhatIsThereAndBrokenIsAnErrorAndNothingIsAsked) {
  serve_keys();
  write_config(
      "[profile a]\nrole_arn = hidden\nsource_profile = b\n[profile b]\nrole_arn = hidden\nsource_profile = "
      "a\n"
      "[profile none]\nrole_arn = hidden\n"
      "[profile two]\nrole_arn = hidden\nsource_profile = a\ncredential_source = Environment\n"
      "[profile strange]\nrole_arn = hidden\ncredential_source = Moon\n"
      "[profile lost]\nrole_arn = hidden\nsource_profile = nowhere\n"
      "[profile long]\nrole_arn = hidden\nsource_profile = a\nduration_seconds = 1000000\n"
      "[profile typed]\nrole_arn = hidden\nsource_profile = a\nmfa_serial = hidden\n"
      "[profile process]\ncredential_process = hidden\n"
      "[profile bare]\nrole_arn = hidden\ncredential_source = Environment\n"
      "[profile tokenless]\nrole_arn = hidden\nweb_identity_token_file = /no/such\n");
  for (const auto& [profile, code] :
       std::map<std::string, StatusCode>{{"a", StatusCode::kInvalidArgument},
                                         {"none", StatusCode::kInvalidArgument},
                                         {"two", StatusCode::kInvalidArgument},
                                         {"strange", StatusCode::kInvalidArgument},
                                         {"lost", StatusCode::kInvalidArgument},
                                         {"long", StatusCode::kInvalidArgument},
                                         {"typed", StatusCode::kUnimplemented},
                                         {"process", StatusCode::kUnimplemented},
                                         {"bare", StatusCode::kPermissionDenied},
                                         {"tokenless", StatusCode::kPermissionDenied}}) {
    EXPECT_EQ(find_keys({.profile = profile}).status().code(), code) << profile;
  }
  variables_["AWS_WEB_IDENTITY_TOKEN_FILE"] = directory_ / "token";
  EXPECT_EQ(find_keys().status().code(), StatusCode::kInvalidArgument);  // without AWS_ROLE_ARN
  EXPECT_EQ(service_.requests, 0);
}

TEST_F(StsTest, RefusalsAndFailuresAreToldApart) {
  write_config(
      "[default]\naws_access_key_id = own\naws_secret_access_key = hidden\nrole_arn = r\n"
      "source_profile = default\n");
  const std::pair<std::string, StatusCode> answers[] = {
      {error_reply("403 Forbidden", "AccessDenied"), StatusCode::kPermissionDenied},
      {error_reply("400 Bad Request", "ExpiredTokenException"), StatusCode::kPermissionDenied},
      {error_reply("400 Bad Request", "Throttling"), StatusCode::kUnavailable},
      {error_reply("503 Service Unavailable", "ServiceUnavailable"), StatusCode::kUnavailable},
      {reply("404 Not Found", "", "no XML"), StatusCode::kPermissionDenied},
      {reply("307 Temporary Redirect", "Location: http://localhost/\r\n", ""), StatusCode::kPermissionDenied},
      {"", StatusCode::kUnavailable},
      {reply("200 OK", "", ""), StatusCode::kDataLoss},
      {reply("200 OK", "", "<html/>"), StatusCode::kDataLoss},
      {reply("200 OK", "", std::string(100'000, ' ')), StatusCode::kResourceExhausted}};
  for (const auto& [answer, code] : answers) {
    service_.serve([answer = answer](const std::string&, int) { return answer; });
    variables_["AWS_ENDPOINT_URL_STS"] = service_.url();
    const Status status = find_keys().status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_NE(message(status).find("'default'"), std::string_view::npos) << status;
  }
}

TEST(StsAnswers, KeysNeedATimeAtWhichTheyExpire) {
  const std::string good = keys_xml("AssumeRole", "id");
  EXPECT_TRUE(parse_sts_keys(good).ok());
  for (const char* part : {"AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"}) {
    std::string broken = good;
    for (size_t at = broken.find(part); at != std::string::npos; at = broken.find(part, at)) {
      broken.replace(at, std::string(part).size(), "Other");
    }
    const Status status = parse_sts_keys(broken).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << part;
    EXPECT_EQ(message(status).find("hidden"), std::string_view::npos) << status;
  }
  for (const std::string& text :
       {std::string(), std::string("<"), std::string("text"), std::string("<a/>"), std::string("<a><b/></a>"),
        good.substr(0, good.size() / 2), std::string(kMaxStsBytes + 1, ' ')}) {
    EXPECT_EQ(parse_sts_keys(text).status().code(), StatusCode::kDataLoss) << text.substr(0, 100);
  }
}

TEST(StsEndpoints, AreWhereTheEnvironmentOrTheProfileSays) {
  const auto url_of = [](const std::string& region, StoreVariables variables, const Profile& profile = {}) {
    const Result<StsEndpoint> found = sts_endpoint(region, environment_of(std::move(variables)), profile);
    return found.ok() ? found->endpoint.url() + " " + found->region : "error";
  };
  EXPECT_EQ(url_of("", {}), "https://sts.amazonaws.com us-east-1");
  EXPECT_EQ(url_of("eu-west-1", {{"AWS_REGION", "x"}}), "https://sts.eu-west-1.amazonaws.com eu-west-1");
  EXPECT_EQ(url_of("", {{"AWS_DEFAULT_REGION", "cn-north-1"}}),
            "https://sts.cn-north-1.amazonaws.com.cn cn-north-1");
  const Profile profile = {.settings = {{"region", "ap-south-1"}},
                           .services = {{"sts.endpoint_url", "https://sts.example"}}};
  EXPECT_EQ(url_of("", {}, profile), "https://sts.example ap-south-1");
  EXPECT_EQ(url_of("", {{"AWS_ENDPOINT_URL", "http://localhost:9"}}, profile),
            "http://localhost:9 ap-south-1");
  EXPECT_EQ(url_of("", {{"AWS_ENDPOINT_URL", "https://a"}, {"AWS_ENDPOINT_URL_STS", "https://b"}}),
            "https://b us-east-1");
  EXPECT_EQ(url_of("", {{"AWS_ENDPOINT_URL", "https://a"}, {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true"}}),
            "https://sts.amazonaws.com us-east-1");
  EXPECT_EQ(url_of("", {{"AWS_ENDPOINT_URL_STS", "http://elsewhere"}}), "error");
  EXPECT_EQ(url_of("no/region", {}), "error");
}

}  // namespace
}  // namespace forebay::storage
