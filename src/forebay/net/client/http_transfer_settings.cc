// How a request becomes the settings of a curl handle.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "absl/strings/match.h"
#include "forebay/base/clock.h"
#include "forebay/net/client/certificates.h"
#include "forebay/net/client/http_transfer.h"
#include "forebay/net/http_fields.h"
#include "forebay/net/url.h"

namespace forebay::net {
namespace {

constexpr long kReceiveBufferBytes = 256 << 10;
constexpr long kSendBufferBytes = 256 << 10;

// A line break would begin another header.
bool is_field_value(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

bool takes_body(const std::string& method) {
  return method == "PUT" || method == "POST" || method == "PATCH";
}

// A forked child may hold the connection too, so closing alone would not tell the server.
int close_socket(void*, curl_socket_t socket) {
  ::shutdown(socket, SHUT_RDWR);
  return ::close(socket);
}

std::string ca_file_of(const HttpClientOptions& options) {
  if (!options.ca_file.empty()) {
    return options.ca_file;
  }
  return named_or_system_certificates(options.proxies ? nullptr : std::getenv("SSL_CERT_FILE"));
}

}  // namespace

Status HttpTransfer::check() const {
  FOREBAY_RETURN_IF_ERROR(check_url(request_.url));
  if (!is_token(request_.method)) {
    return invalid_argument("not a method of HTTP");
  }
  for (const HttpHeader& header : request_.headers) {
    if (!is_token(header.name) || !is_field_value(header.value)) {
      return invalid_argument("a header with bytes that may not stand in one");
    }
  }
  return ok_status();
}

Status HttpTransfer::begin(CURL* easy, const HttpClientOptions& options) {
  easy_ = easy;
  header_count_ = 0;
  header_bytes_ = 0;
  sent_bytes_ = 0;
  skipped_bytes_ = 0;
  has_head_ = false;
  is_cut_ = false;
  target_.reset();
  response_ = {};
  failure_ = ok_status();
  error_text_[0] = '\0';
  started_ns_ = steady_clock().now_ns();
  set_limits(options);
  set_callbacks();
  FOREBAY_RETURN_IF_ERROR(set_method());
  return set_headers();
}

void HttpTransfer::set_limits(const HttpClientOptions& options) {
  max_headers_ = options.max_headers;
  max_header_bytes_ = options.max_header_bytes;
  curl_easy_setopt(easy_, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy_, CURLOPT_QUICK_EXIT, 1L);  // a lookup that nobody wants any more is not waited for
  curl_easy_setopt(easy_, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy_, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy_, CURLOPT_PATH_AS_IS, 1L);  // "a/../b" may be the name of an object
  curl_easy_setopt(easy_, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout_ms));
  curl_easy_setopt(easy_, CURLOPT_LOW_SPEED_LIMIT, 1L);
  const int64_t stall_s = request_.stall_timeout_s > 0 ? request_.stall_timeout_s : options.stall_timeout_s;
  curl_easy_setopt(easy_, CURLOPT_LOW_SPEED_TIME, static_cast<long>(stall_s));
  curl_easy_setopt(easy_, CURLOPT_BUFFERSIZE, kReceiveBufferBytes);
  curl_easy_setopt(easy_, CURLOPT_UPLOAD_BUFFERSIZE, kSendBufferBytes);
  curl_easy_setopt(easy_, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy_, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(easy_, CURLOPT_USERAGENT,
                   options.user_agent.empty() ? "forebay" : options.user_agent.c_str());
  const std::string ca_file = ca_file_of(options);
  if (!ca_file.empty()) {
    curl_easy_setopt(easy_, CURLOPT_CAINFO, ca_file.c_str());
  }
  if (!options.uses_proxy ||
      is_of_this_host(request_.url)) {  // nobody else is to see what stays on this host
    curl_easy_setopt(easy_, CURLOPT_PROXY, "");
  } else if (options.proxies) {
    const bool is_secure = absl::StartsWithIgnoreCase(request_.url, "https:");
    const std::string& proxy = is_secure ? options.proxies->https : options.proxies->http;
    curl_easy_setopt(easy_, CURLOPT_PROXY, proxy.c_str());
    curl_easy_setopt(easy_, CURLOPT_NOPROXY, options.proxies->not_for.c_str());
  }
}

void HttpTransfer::set_callbacks() {
  curl_easy_setopt(easy_, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, error_text_.data());
  curl_easy_setopt(easy_, CURLOPT_HEADERFUNCTION, &on_header);
  curl_easy_setopt(easy_, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &on_body);
  curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy_, CURLOPT_READFUNCTION, &on_send);
  curl_easy_setopt(easy_, CURLOPT_READDATA, this);
  curl_easy_setopt(easy_, CURLOPT_SEEKFUNCTION, &on_seek);
  curl_easy_setopt(easy_, CURLOPT_SEEKDATA, this);
  curl_easy_setopt(easy_, CURLOPT_CLOSESOCKETFUNCTION, &close_socket);
}

Status HttpTransfer::set_method() {
  CURLcode code = curl_easy_setopt(easy_, CURLOPT_URL, request_.url.c_str());
  if (code != CURLE_OK) {
    return resource_exhausted("{}", curl_easy_strerror(code));
  }
  if (request_.method == "HEAD") {
    curl_easy_setopt(easy_, CURLOPT_NOBODY, 1L);
    return ok_status();
  }
  if (takes_body(request_.method) || !request_.body.empty()) {
    curl_easy_setopt(easy_, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy_, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
  } else {
    curl_easy_setopt(easy_, CURLOPT_HTTPGET, 1L);
  }
  code = curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  return code == CURLE_OK ? ok_status() : resource_exhausted("{}", curl_easy_strerror(code));
}

Status HttpTransfer::set_headers() {
  header_lines_.reset();
  const auto add = [&](const std::string& line) {
    curl_slist* const longer = curl_slist_append(header_lines_.get(), line.c_str());
    if (longer == nullptr) {
      return resource_exhausted("no memory for the request's headers");
    }
    static_cast<void>(header_lines_.release());
    header_lines_.reset(longer);
    return ok_status();
  };
  // A server that does not know this header would be waited for.
  FOREBAY_RETURN_IF_ERROR(add("Expect:"));
  for (const HttpHeader& header : request_.headers) {
    // Without a value, curl would take it as a header to leave out.
    FOREBAY_RETURN_IF_ERROR(
        add(header.value.empty() ? header.name + ";" : header.name + ": " + header.value));
  }
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, header_lines_.get());
  return ok_status();
}

}  // namespace forebay::net
