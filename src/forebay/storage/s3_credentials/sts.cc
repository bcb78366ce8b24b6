#include "forebay/storage/s3_credentials/sts.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "fmt/format.h"
#include "forebay/base/clock.h"
#include "forebay/storage/http/service_error.h"
#include "forebay/storage/remote/json_answer.h"
#include "forebay/storage/remote/xml_answer.h"

namespace forebay::storage {
namespace {

constexpr char kStsVersion[] = "2011-06-15";
constexpr char kStsForm[] = "application/x-www-form-urlencoded; charset=utf-8";
constexpr int64_t kStsDeadlineNs = 30'000'000'000;
constexpr size_t kMaxStsCodeBytes = 100;
constexpr size_t kMaxStsMessageBytes = 300;
constexpr int64_t kNsPerSecond = 1'000'000'000;

std::string sts_setting(const ProfileSettings& settings, std::string_view name) {
  const auto found = settings.find(name);
  return found == settings.end() ? std::string() : found->second;
}

/// Of the environment, then the profile; empty: AWS's own.
std::string sts_url(const Environment& environment, const Profile& profile) {
  if (says_true(environment, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")) {
    return {};
  }
  for (const char* const name : {"AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL"}) {
    if (std::optional<std::string> url = environment(name)) {
      return *std::move(url);
    }
  }
  std::string url = sts_setting(profile.services, "sts.endpoint_url");
  return url.empty() ? sts_setting(profile.settings, "endpoint_url") : url;
}

std::string sts_region(const std::string& region, const Environment& environment, const Profile& profile) {
  if (!region.empty()) {
    return region;
  }
  for (const char* const name : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
    if (std::optional<std::string> named = environment(name)) {
      return *std::move(named);
    }
  }
  return sts_setting(profile.settings, "region");
}

bool is_sts_region(std::string_view region) {
  return region.size() <= 64 && std::all_of(region.begin(), region.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

Endpoint own_sts_endpoint(std::string_view region) {
  const std::string_view suffix = region.starts_with("cn-") ? ".cn" : "";
  return {.host =
              region.empty() ? "sts.amazonaws.com" : fmt::format("sts.{}.amazonaws.com{}", region, suffix)};
}

net::AwsFields role_form(const StsService& service, const StsRole& role, const std::string& action) {
  net::AwsFields form = {
      {"Action", action},
      {"Version", kStsVersion},
      {"RoleArn", role.arn},
      {"RoleSessionName",
       role.session_name.empty() ? fmt::format("forebay-{}", service.clock()) : role.session_name},
      {"DurationSeconds", std::to_string(role.duration_s)}};
  if (!role.external_id.empty()) {
    form.emplace_back("ExternalId", role.external_id);
  }
  return form;
}

Result<CredentialsRef> keys_of_answer(const Result<net::HttpResponse>& answer, const std::string& from) {
  if (!answer.ok()) {
    return annotate(answer.status(), from);
  }
  if (!answer->is_success()) {
    return sts_error(*answer, from);
  }
  Result<CredentialsRef> keys = parse_sts_keys(answer->body);
  return keys.ok() ? keys : annotate(keys.status(), from);
}

/// Sends a form; with keys, signed.
void send_form(const StsService& service, const StsRole& role, const net::AwsFields& form,
               const net::AwsCredentials* keys, CredentialsCallback done) {
  const Endpoint& endpoint = service.where.endpoint;
  const auto body = std::make_shared<const std::string>(net::canonical_query(form));
  const Bytes content = std::as_bytes(std::span(*body));
  net::HttpRequest http = {.method = "POST",
                           .url = endpoint.url() + "/",
                           .headers = {{"content-type", kStsForm}},
                           .body = content,
                           .max_body_bytes = kMaxStsBytes,
                           .follow_redirects = false,
                           .deadline_ns = steady_clock().now_ns() + kStsDeadlineNs};
  if (keys != nullptr) {
    net::AwsRequest to_sign = {.method = http.method,
                               .path = endpoint.path + "/",
                               .headers = {{"content-type", kStsForm}, {"host", endpoint.host}},
                               .payload_hash = net::sha256_hex(content)};
    const net::AwsScope scope = {
        .unix_seconds = service.clock(), .region = service.where.region, .service = "sts"};
    for (auto& [name, value] : net::signing_headers(std::move(to_sign), scope, *keys)) {
      http.headers.push_back({std::move(name), std::move(value)});
    }
  }
  const std::string from = fmt::format("the role of {}, from {}", role.from, endpoint.host);
  service.client->send(std::move(http),
                       [body, from, done = std::move(done)](const Result<net::HttpResponse>& answer) mutable {
                         done(keys_of_answer(answer, from));
                       });
}

}  // namespace

Result<StsEndpoint> sts_endpoint(const std::string& region, const Environment& environment,
                                 const Profile& profile) {
  StsEndpoint found = {.region = sts_region(region, environment, profile)};
  if (!is_sts_region(found.region)) {
    return invalid_argument("'{}' is no region", found.region);
  }
  const std::string url = sts_url(environment, profile);
  if (url.empty()) {
    found.endpoint = own_sts_endpoint(found.region);
  } else {
    FOREBAY_ASSIGN_OR_RETURN(found.endpoint, parse_endpoint(url, "STS"));
  }
  found.region = found.region.empty() ? "us-east-1" : found.region;
  if (!may_take_secrets(found.endpoint.url())) {
    return invalid_argument(
        "the token service '{}' is neither https nor on this host, and keys do not travel in the clear; "
        "AWS_ENDPOINT_URL_STS says where it is",
        found.endpoint.url());
  }
  return found;
}

void assume_role(const StsService& service, const StsRole& role, const net::AwsCredentials& keys,
                 CredentialsCallback done) {
  send_form(service, role, role_form(service, role, "AssumeRole"), &keys, std::move(done));
}

void assume_role_with_token(const StsService& service, const StsRole& role, const std::string& token,
                            CredentialsCallback done) {
  net::AwsFields form = role_form(service, role, "AssumeRoleWithWebIdentity");
  form.emplace_back("WebIdentityToken", token);
  send_form(service, role, form, nullptr, std::move(done));
}

Result<CredentialsRef> parse_sts_keys(std::string_view xml) {
  pugi::xml_document document;
  if (!load_xml(document, xml, kMaxStsBytes)) {
    return data_loss("the token service's answer is no XML, or over {} bytes", kMaxStsBytes);
  }
  const pugi::xml_node keys = document.first_child().first_child().child("Credentials");
  ExpiringCredentials found;
  found.keys = {std::string(xml_text(keys, "AccessKeyId")), std::string(xml_text(keys, "SecretAccessKey")),
                std::string(xml_text(keys, "SessionToken"))};
  const std::optional<int64_t> expires_ns = parse_iso_time(xml_text(keys, "Expiration"));
  const bool is_usable = !found.keys.access_key_id.empty() && !found.keys.secret_access_key.empty() &&
                         !found.keys.session_token.empty() && is_one_line(found.keys.access_key_id) &&
                         is_one_line(found.keys.session_token) && expires_ns;
  if (!is_usable) {
    return data_loss("the token service's answer has no usable keys with a time at which they expire");
  }
  found.expires_s = *expires_ns / kNsPerSecond;
  return std::make_shared<const ExpiringCredentials>(std::move(found));
}

Status sts_error(const net::HttpResponse& answer, std::string_view from) {
  ServiceFailure failure = {.service = "STS"};
  pugi::xml_document document;
  if (load_xml(document, answer.body, kMaxStsBytes)) {
    const pugi::xml_node error = document.child("ErrorResponse").child("Error");
    failure.code = for_message(xml_text(error, "Code"), kMaxStsCodeBytes);
    const std::string_view message = xml_text(error, "Message");
    failure.message = for_message(message.substr(0, message.find('\n')), kMaxStsMessageBytes);
  }
  const bool is_busy = answer.status == 429 || answer.status >= 500 || failure.code == "Throttling" ||
                       failure.code == "IDPCommunicationError";
  return is_busy ? service_error(StatusCode::kUnavailable, fmt::format("answered {}", answer.status), failure,
                                 from)
                 : service_error(StatusCode::kPermissionDenied,
                                 fmt::format("gave no keys ({})", answer.status), failure, from);
}

}  // namespace forebay::storage
