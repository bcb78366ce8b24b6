#include "forebay/storage/gs/gs_credentials.h"

#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/net/aws_signature.h"
#include "forebay/storage/remote/endpoint.h"
#include "forebay/storage/remote/json_answer.h"
#include "forebay/storage/remote/metadata_client.h"
#include "forebay/storage/remote/small_file.h"

namespace forebay::storage {
namespace {

using nlohmann::json;

constexpr size_t kMaxGsKeyFileBytes = 64 << 10;
constexpr int64_t kGsTokenDeadlineNs = 20'000'000'000;
constexpr uint64_t kLongestGsTokenSeconds = 100'000;
constexpr char kGoogleTokenUri[] = "https://oauth2.googleapis.com/token";
constexpr char kGsTokenPath[] = "/computeMetadata/v1/instance/service-accounts/default/token";
constexpr char kGsAdvice[] = "Public buckets are read without: FOREBAY_GS_ANONYMOUS=1";

class GivenGsToken final : public GsTokenSource {
 public:
  explicit GivenGsToken(GsTokenRef token) : token_(std::move(token)) {}
  void fetch(GsTokenCallback done) override { done(token_); }

 private:
  const GsTokenRef token_;
};

void take_gs_token(Result<net::HttpResponse> answer, std::string_view from, const WallClock& clock,
                   GsTokenCallback done) {
  if (!answer.ok()) {
    done(annotate(answer.status(), from));
  } else if (answer->status >= 400 && answer->status < 500 && answer->status != 429) {
    done(permission_denied("{} gave no token ({}); check the keys", from, answer->status));
  } else if (answer->status != 200) {
    done(unavailable("{} answered {}", from, answer->status));
  } else {
    const Result<GsTokenRef> token = parse_gs_token(answer->body, clock());
    done(token.ok() ? token : annotate(token.status(), from));
  }
}

/// Exchanges the keys of a file, which is read anew each time.
class GsFileToken final : public GsTokenSource {
 public:
  /// Without `must_exist`, a file that is not there is a place without keys.
  GsFileToken(std::string path, bool must_exist, net::HttpClient& client, WallClock clock)
      : path_(std::move(path)), must_exist_(must_exist), client_(client), clock_(std::move(clock)) {}

  void fetch(GsTokenCallback done) override {
    Result<GsKeyFile> keys = read_keys();
    Result<std::string> form = keys.ok() ? form_of(*keys) : keys.status();
    if (!form.ok()) {
      done(form.status());
      return;
    }
    const auto body = std::make_shared<const std::string>(*std::move(form));
    net::HttpRequest request = {.method = "POST",
                                .url = token_uri_of(*keys),
                                .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
                                .body = std::as_bytes(std::span(*body)),
                                .max_body_bytes = kMaxGsKeyFileBytes,
                                .follow_redirects = false,
                                .deadline_ns = steady_clock().now_ns() + kGsTokenDeadlineNs};
    client_.send(std::move(request), [from = "the token server of " + path_, body, clock = clock_,
                                      done = std::move(done)](Result<net::HttpResponse> answer) mutable {
      take_gs_token(std::move(answer), from, clock, std::move(done));
    });
  }

 private:
  Result<GsKeyFile> read_keys() const {
    FOREBAY_ASSIGN_OR_RETURN(const std::optional<std::string> text,
                             read_small_file(path_, kMaxGsKeyFileBytes));
    if (!text) {
      return must_exist_ ? errno_status(ENOENT, path_) : not_found("there is no {}", path_);
    }
    Result<GsKeyFile> keys = parse_gs_key_file(*text);
    FOREBAY_RETURN_IF_ERROR(annotate(keys.status(), path_));
    if (!may_take_secrets(token_uri_of(*keys))) {
      return invalid_argument("{}: its token_uri is not https, and keys do not travel in the clear", path_);
    }
    return keys;
  }

  static const std::string& token_uri_of(const GsKeyFile& keys) {
    return std::visit([](const auto& kind) -> const std::string& { return kind.token_uri; }, keys);
  }

  Result<std::string> form_of(const GsKeyFile& keys) const {
    if (const auto* const user = std::get_if<GsUserKeys>(&keys)) {
      return net::canonical_query({{"grant_type", "refresh_token"},
                                   {"client_id", user->client_id},
                                   {"client_secret", user->client_secret},
                                   {"refresh_token", user->refresh_token}});
    }
    const Result<std::string> assertion = gs_assertion(std::get<GsServiceAccount>(keys), clock_());
    FOREBAY_RETURN_IF_ERROR(annotate(assertion.status(), path_));
    return net::canonical_query(
        {{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"}, {"assertion", *assertion}});
  }

  const std::string path_;
  const bool must_exist_;
  net::HttpClient& client_;
  const WallClock clock_;
};

/// The account of the instance that this process runs on.
class GsInstanceToken final : public GsTokenSource {
 public:
  GsInstanceToken(const Environment& environment, net::HttpClient& client, WallClock clock)
      : host_(environment("GCE_METADATA_HOST").value_or("metadata.google.internal")),
        client_(client),
        clock_(std::move(clock)) {}

  void fetch(GsTokenCallback done) override { ask(host_, client_, clock_, 2, std::move(done)); }

 private:
  static void ask(const std::string& host, net::HttpClient& client, const WallClock& clock, int attempts,
                  GsTokenCallback done) {
    net::HttpRequest request = {.url = "http://" + host + kGsTokenPath,
                                .headers = {{"Metadata-Flavor", "Google"}},
                                .max_body_bytes = kMaxGsKeyFileBytes,
                                .follow_redirects = false,
                                .deadline_ns = steady_clock().now_ns() + kGsTokenDeadlineNs};
    client.send(std::move(request), [host, &client, clock, attempts,
                                     done = std::move(done)](Result<net::HttpResponse> answer) mutable {
      const bool is_google = answer.ok() && answer->header("Metadata-Flavor") != nullptr;
      if (may_come_again(answer) && attempts > 1) {
        ask(host, client, clock, attempts - 1, std::move(done));
      } else if (!is_google) {
        done(absence_of_metadata(answer));
      } else {
        take_gs_token(std::move(answer), "the instance's metadata service", clock, std::move(done));
      }
    });
  }

  const std::string host_;
  net::HttpClient& client_;
  const WallClock clock_;
};

std::shared_ptr<GsTokenSource> lasting_token(std::string text) {
  return std::make_shared<GivenGsToken>(std::make_shared<const GsToken>(GsToken{std::move(text)}));
}

Result<bool> is_anonymous(const GsOptions& options, const Environment& environment) {
  const bool is_emulator = options.endpoint.empty() && environment("STORAGE_EMULATOR_HOST");
  const bool names_keys = !options.access_token.empty() || !options.credentials_file.empty();
  if (options.anonymous || (is_emulator && !names_keys)) {
    return true;
  }
  return switch_in(environment, "FOREBAY_GS_ANONYMOUS");
}

}  // namespace

Result<GsTokenRef> parse_gs_token(std::string_view text, int64_t now_s) {
  const json object = parse_json_object(text, kMaxGsKeyFileBytes, 4);
  GsToken token = {.text = json_text(object, "access_token")};
  if (token.text.empty() || !is_one_line(token.text)) {
    return data_loss("the answer has no usable access_token");
  }
  const std::optional<uint64_t> seconds = json_number(object, "expires_in");
  if (!seconds || *seconds > kLongestGsTokenSeconds) {
    return data_loss("the answer does not say when its access_token expires");
  }
  token.expires_s = now_s + static_cast<int64_t>(*seconds);
  return std::make_shared<const GsToken>(std::move(token));
}

Result<GsKeyFile> parse_gs_key_file(std::string_view text) {
  const json object = parse_json_object(text, kMaxGsKeyFileBytes, 8);
  if (object.is_discarded()) {
    return data_loss("this is not the JSON of a key file");
  }
  const std::string given_uri = json_text(object, "token_uri");
  const std::string token_uri = given_uri.empty() ? kGoogleTokenUri : given_uri;
  const std::string kind = json_text(object, "type");
  if (kind == "service_account") {
    GsServiceAccount account = {.email = json_text(object, "client_email"),
                                .key_id = json_text(object, "private_key_id"),
                                .private_key = json_text(object, "private_key"),
                                .token_uri = token_uri};
    const bool is_whole = !account.email.empty() && !account.private_key.empty();
    return is_whole ? Result<GsKeyFile>(std::move(account))
                    : data_loss("a service account's file needs client_email and private_key");
  }
  if (kind == "authorized_user") {
    GsUserKeys user = {.client_id = json_text(object, "client_id"),
                       .client_secret = json_text(object, "client_secret"),
                       .refresh_token = json_text(object, "refresh_token"),
                       .token_uri = token_uri};
    return user.refresh_token.empty() ? Result<GsKeyFile>(data_loss("a user's file needs refresh_token"))
                                      : std::move(user);
  }
  return unimplemented(
      "keys of the kind '{}' are not followed; service_account and authorized_user are, or give a token "
      "(gcloud auth print-access-token) in GOOGLE_OAUTH_ACCESS_TOKEN",
      is_one_line(kind) ? kind.substr(0, 40) : "");
}

Result<std::shared_ptr<GsTokenSource>> gs_token_source(const GsOptions& options,
                                                       const Environment& environment,
                                                       net::HttpClient& metadata, net::HttpClient& client,
                                                       WallClock clock) {
  FOREBAY_ASSIGN_OR_RETURN(const bool is_public, is_anonymous(options, environment));
  if (is_public) {
    return std::make_shared<GivenGsToken>(nullptr);
  }
  if (!options.access_token.empty()) {
    return lasting_token(options.access_token);
  }
  if (!options.credentials_file.empty()) {
    return std::make_shared<GsFileToken>(options.credentials_file, true, client, std::move(clock));
  }
  if (const auto token = environment("GOOGLE_OAUTH_ACCESS_TOKEN")) {
    return lasting_token(*token);
  }
  if (const auto path = environment("GOOGLE_APPLICATION_CREDENTIALS")) {
    return std::make_shared<GsFileToken>(*path, true, client, std::move(clock));
  }
  std::vector<std::shared_ptr<GsTokenSource>> sources;
  if (const auto home = environment("HOME")) {
    const std::string path = *home + "/.config/gcloud/application_default_credentials.json";
    sources.push_back(std::make_shared<GsFileToken>(path, false, client, clock));
  }
  if (!says_true(environment, "NO_GCE_CHECK")) {
    sources.push_back(std::make_shared<GsInstanceToken>(environment, metadata, clock));
  }
  return std::make_shared<SecretChain<GsToken>>(std::move(sources), kGsAdvice);
}

}  // namespace forebay::storage
