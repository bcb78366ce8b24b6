// Keys from the metadata services of containers and instances.

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "forebay/base/clock.h"
#include "forebay/net/url.h"
#include "forebay/storage/remote/json_answer.h"
#include "forebay/storage/remote/small_file.h"
#include "forebay/storage/s3_credentials/credential_sources.h"
#include "nlohmann/json.hpp"

namespace forebay::storage {
namespace {

constexpr size_t kMaxAnswerBytes = 64 << 10;
constexpr size_t kMaxTokenBytes = 16 << 10;
constexpr int64_t kDeadlineNs = 20'000'000'000;
constexpr char kContainerHost[] = "http://169.254.170.2";
constexpr char kInstanceHost[] = "http://169.254.169.254";
constexpr char kRolePath[] = "/latest/meta-data/iam/security-credentials/";

net::HttpRequest metadata_request(std::string method, std::string url) {
  return {.method = std::move(method),
          .url = std::move(url),
          .max_body_bytes = kMaxAnswerBytes,
          .follow_redirects = false,
          .deadline_ns = steady_clock().now_ns() + kDeadlineNs};
}

/// The last line may end with a line break.
Result<std::string> read_token_file(const std::string& path) {
  FOREBAY_ASSIGN_OR_RETURN(std::optional<std::string> token, read_small_file(path, kMaxTokenBytes));
  if (!token) {
    return errno_status(ENOENT, path);
  }
  while (token->ends_with('\n') || token->ends_with('\r')) {
    token->pop_back();
  }
  return *std::move(token);
}

Result<std::string> authorization_token(const Environment& environment) {
  std::string token = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN").value_or("");
  if (const auto path = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")) {
    FOREBAY_ASSIGN_OR_RETURN(token, read_token_file(*path));
  }
  if (!is_one_line(token)) {
    return invalid_argument("the container's authorization token has a line break or a control character");
  }
  return token;
}

bool may_give_keys(const std::string& url) {
  constexpr std::array<std::string_view, 6> kHosts = {"localhost",     "127.0.0.1",      "[::1]",
                                                      "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"};
  constexpr std::string_view kPlain = "http://";
  if (!url.starts_with(kPlain)) {
    return url.starts_with("https://");
  }
  const std::string_view rest = std::string_view(url).substr(kPlain.size());
  return std::any_of(kHosts.begin(), kHosts.end(), [&](std::string_view host) {
    return rest == host || rest.starts_with(fmt::format("{}/", host)) ||
           rest.starts_with(fmt::format("{}:", host));
  });
}

/// not_found where the container has no such service.
Result<std::string> container_url(const Environment& environment) {
  if (const auto path = environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")) {
    if (!path->starts_with('/')) {
      return invalid_argument("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI does not begin with '/'");
    }
    return kContainerHost + *path;
  }
  const auto url = environment("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (!url) {
    return not_found("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and _FULL_URI are not set");
  }
  if (!may_give_keys(*url) || url->find('@') != std::string::npos) {
    return invalid_argument(
        "AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor a metadata service of this "
        "host, and keys do not travel in the clear");
  }
  return *url;
}

Result<net::HttpRequest> container_request(const Environment& environment) {
  FOREBAY_ASSIGN_OR_RETURN(std::string url, container_url(environment));
  FOREBAY_ASSIGN_OR_RETURN(std::string token, authorization_token(environment));
  net::HttpRequest request = metadata_request("GET", std::move(url));
  if (!token.empty()) {
    request.headers.push_back({"Authorization", std::move(token)});
  }
  return request;
}

/// The three requests to an instance's metadata service: for a token, for the name of the role, for its keys.
class InstanceFetch : public std::enable_shared_from_this<InstanceFetch> {
 public:
  InstanceFetch(net::HttpClient& client, std::string host, CredentialsCallback done)
      : client_(client), host_(std::move(host)), done_(std::move(done)) {}

  void start() {
    net::HttpRequest request = metadata_request("PUT", host_ + "/latest/api/token");
    request.headers.push_back({"X-aws-ec2-metadata-token-ttl-seconds", "21600"});
    client_.send(std::move(request), [self = shared_from_this()](const Result<net::HttpResponse>& answer) {
      if (answer.ok() && answer->status == 200) {
        self->token_ = answer->body;
        self->ask_role();
      } else if (may_come_again(answer) && !std::exchange(self->is_second_, true)) {
        self->start();
      } else {
        self->done_(absence_of_metadata(answer));
      }
    });
  }

 private:
  void ask_role() {
    ask(kRolePath, [self = shared_from_this()](const std::string& names) {
      const std::string role = names.substr(0, names.find_first_of("\r\n"));
      self->ask(kRolePath + net::percent_encoded(role, false),
                [self](const std::string& json) { self->done_(parse_credentials_json(json)); });
    });
  }

  void ask(const std::string& path, absl::AnyInvocable<void(const std::string&)> take) {
    if (!is_one_line(token_)) {
      done_(data_loss("the instance's metadata service gave a token with control characters"));
      return;
    }
    net::HttpRequest request = metadata_request("GET", host_ + path);
    request.headers.push_back({"X-aws-ec2-metadata-token", token_});
    client_.send(std::move(request), [self = shared_from_this(),
                                      take = std::move(take)](Result<net::HttpResponse> answer) mutable {
      if (!answer.ok()) {
        self->done_(annotate(answer.status(), "the instance's metadata service"));
      } else if (answer->status == 404) {
        self->done_(not_found("the instance has no role"));
      } else if (answer->status != 200) {
        self->done_(unavailable("the instance's metadata service answered {}", answer->status));
      } else {
        take(answer->body);
      }
    });
  }

  net::HttpClient& client_;
  const std::string host_;
  CredentialsCallback done_;
  std::string token_;
  bool is_second_ = false;
};

}  // namespace

Result<CredentialsRef> parse_credentials_json(std::string_view json) {
  const nlohmann::json object = parse_json_object(json, kMaxAnswerBytes, 4);
  if (!object.is_object()) {
    return data_loss("the metadata service's answer is not the JSON of credentials");
  }
  ExpiringCredentials found;
  found.keys = {json_text(object, "AccessKeyId"), json_text(object, "SecretAccessKey"),
                json_text(object, "Token")};
  if (found.keys.access_key_id.empty() || found.keys.secret_access_key.empty() ||
      !is_one_line(found.keys.access_key_id) || !is_one_line(found.keys.session_token)) {
    return data_loss("the metadata service's answer has no usable AccessKeyId and SecretAccessKey");
  }
  if (const std::string expiration = json_text(object, "Expiration"); !expiration.empty()) {
    const std::optional<int64_t> ns = parse_iso_time(expiration);
    if (!ns) {
      return data_loss("the metadata service's answer has an Expiration that is no time");
    }
    found.expires_s = *ns / 1'000'000'000;
  }
  return std::make_shared<const ExpiringCredentials>(std::move(found));
}

void ContainerCredentials::fetch(CredentialsCallback done) {
  Result<net::HttpRequest> request = container_request(environment_);
  if (!request.ok()) {
    done(request.status());
    return;
  }
  client_.send(*std::move(request), [done = std::move(done)](Result<net::HttpResponse> answer) mutable {
    if (!answer.ok()) {
      done(annotate(answer.status(), "the container's metadata service"));
    } else if (answer->status != 200) {
      done(unavailable("the container's metadata service answered {}", answer->status));
    } else {
      done(parse_credentials_json(answer->body));
    }
  });
}

void InstanceCredentials::fetch(CredentialsCallback done) {
  if (says_true(environment_, "AWS_EC2_METADATA_DISABLED")) {
    done(not_found("AWS_EC2_METADATA_DISABLED is set"));
    return;
  }
  std::string host = environment_("AWS_EC2_METADATA_SERVICE_ENDPOINT").value_or(kInstanceHost);
  while (host.ends_with('/')) {
    host.pop_back();
  }
  std::make_shared<InstanceFetch>(client_, std::move(host), std::move(done))->start();
}

}  // namespace forebay::storage
