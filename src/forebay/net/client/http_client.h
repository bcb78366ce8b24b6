// An HTTP/1.1 client over connections that are kept and reused. One thread drives all requests (libcurl's
// multi interface), so a thousand requests under way cost a thousand small records and no thread each.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "forebay/net/http_message.h"

namespace forebay::net {

/// Of a client that does not follow the environment. URLs of proxies; empty: none.
struct HttpProxies {
  std::string http;     // for http://
  std::string https;    // for https://
  std::string not_for;  // hosts that are asked directly, as in no_proxy
};

struct HttpClientOptions {
  size_t connections_per_host =
      64;                         // requests beyond it wait: demand first, each kind in order; bulk gets 3/4
  size_t kept_connections = 128;  // idle connections that are kept open, over all hosts
  int64_t connect_timeout_ms = 10'000;
  int64_t stall_timeout_s = 30;  // no byte for so long ends the request as unavailable
  size_t max_redirects = 8;
  size_t max_headers = 256;  // of one answer
  size_t max_header_bytes = 128 << 10;
  std::string ca_file;     // PEM; empty: $SSL_CERT_FILE, unless there are `proxies`, else the system's
  std::string user_agent;  // empty: "forebay/<version>"
  bool uses_proxy = true;  // the proxies of the usual environment variables, or
  std::optional<HttpProxies> proxies;
};

/// Thread safe. Nothing is started before the first request. In a forked child the client starts anew, with
/// connections of its own; requests that were under way in the parent are never answered in the child.
///
/// Errors: unavailable (no connection, reset, stalled, truncated body, an answer that is not HTTP: worth a
/// retry), permission_denied (the server's certificate is not trusted), cancelled, deadline_exceeded,
/// out_of_range and resource_exhausted (a limit: body, headers), failed_precondition (redirects that are not
/// followed), invalid_argument (the request).
/// Errors name the method and the URL without its user, query and fragment, which may hold secrets.
class HttpClient {
 public:
  using Callback = absl::AnyInvocable<void(Result<HttpResponse>)>;

  explicit HttpClient(HttpClientOptions options = {});
  /// Answers what is under way with `cancelled`. Waits for the client's thread, unless called on it.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Calls `done` exactly once, on the client's thread; it must not block, and may send more requests.
  /// (Where the client's thread cannot be started, `done` is called inline with `unavailable`.)
  void send(HttpRequest request, Callback done);

  const HttpClientOptions& options() const { return options_; }

 private:
  struct Running;

  Running* running();

  const HttpClientOptions options_;
  std::atomic<Running*> running_{nullptr};
};

/// Sends and waits. Never call it on a client's thread.
Result<HttpResponse> send_now(HttpClient& client, HttpRequest request);

/// The process's client; never destroyed.
HttpClient& process_http_client();

}  // namespace forebay::net
