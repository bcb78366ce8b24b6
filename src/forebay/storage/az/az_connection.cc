#include "forebay/storage/az/az_connection.h"

#include <utility>

#include "fmt/format.h"
#include "forebay/net/url.h"
#include "forebay/storage/az/az_signature.h"
#include "forebay/storage/http/urgency.h"

namespace forebay::storage {
namespace {

constexpr char kAzVersion[] = "2021-12-02";

}  // namespace

AzConnection::AzConnection(std::string container, AzOptions options, AzConfiguration configuration,
                           net::HttpClient& client, WallClock clock)
    : container_(std::move(container)),
      options_(std::move(options)),
      configuration_(std::move(configuration)),
      client_(client),
      clock_(std::move(clock)),
      retries_(std::make_shared<RetryPolicy>(options_.retries)) {
}

std::string AzConnection::uri_of(std::string_view key) const {
  return fmt::format("az://{}/{}", container_, key);
}

std::string AzConnection::path_of(std::string_view key) const {
  return fmt::format("{}/{}{}{}", configuration_.endpoint.path, container_, key.empty() ? "" : "/",
                     net::percent_encoded(key));
}

std::string AzConnection::url_of(std::string_view key) const {
  const std::string query = net::canonical_query(configuration_.sas);
  return fmt::format("{}://{}{}{}{}", configuration_.endpoint.scheme, configuration_.endpoint.host,
                     path_of(key), query.empty() ? "" : "?", query);
}

net::HttpRequest AzConnection::http_request(const AzRequest& request, const CallContext& context) const {
  AzSignedRequest covered = {.method = request.method,
                             .path = path_of(request.key),
                             .query = request.query,
                             .headers = request.headers,
                             .content_bytes = request.body.size()};
  covered.headers.emplace_back("x-ms-date", http_date(clock_()));
  covered.headers.emplace_back("x-ms-version", kAzVersion);
  net::AwsFields query = request.query;
  query.insert(query.end(), configuration_.sas.begin(), configuration_.sas.end());
  const std::string query_text = net::canonical_query(query);
  net::HttpRequest http = {
      .method = request.method,
      .url = fmt::format("{}://{}{}{}{}", configuration_.endpoint.scheme, configuration_.endpoint.host,
                         covered.path, query_text.empty() ? "" : "?", query_text),
      .body = request.body,
      .max_body_bytes = request.max_body_bytes,
      .follow_redirects = false,
      .urgency = urgency_of(context.priority),
      .cancellation = context.cancellation,
      .deadline_ns = context.deadline_ns};
  for (const auto& [name, value] : covered.headers) {
    http.headers.push_back({name, value});
  }
  if (!configuration_.key.empty() && configuration_.sas.empty()) {
    http.headers.push_back(
        {"Authorization", az_authorization(covered, configuration_.account, configuration_.key)});
  }
  return http;
}

void AzConnection::send(AzRequest request, const CallContext& context, Callback done) {
  std::string uri = uri_of(request.key);
  if (!is_wanted(context)) {
    done(not_wanted(context, uri));
    return;
  }
  net::HttpRequest http = http_request(request, context);
  http.body_target = std::move(request.body_target);
  client_.send(std::move(http), [self = shared_from_this(), uri = std::move(uri),
                                 done = std::move(done)](Result<net::HttpResponse> answer) mutable {
    if (!answer.ok()) {
      done(named(answer.status(), uri));
    } else if (answer->is_success()) {
      done(std::move(answer));
    } else {
      done(az_error(*answer, uri));
    }
  });
}

void AzConnection::send_repeatedly(AzRequest request, const CallContext& context, Callback done) {
  const auto attempt = [self = shared_from_this(),
                        given = std::make_shared<const AzRequest>(std::move(request))](
                           const CallContext& its_context, Callback next) {
    if (given->attempts) {
      ++*given->attempts;
    }
    self->send({.method = given->method,
                .key = given->key,
                .query = given->query,
                .headers = given->headers,
                .body = given->body,
                .max_body_bytes = given->max_body_bytes},
               its_context, [given, next = std::move(next)](Result<net::HttpResponse> answer) mutable {
                 next(std::move(answer));
               });
  };
  call_with_retries<net::HttpResponse>(retries_, context, attempt, std::move(done));
}

}  // namespace forebay::storage
