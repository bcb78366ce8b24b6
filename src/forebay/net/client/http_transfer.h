// One request on its way: the settings of its curl handle, what has arrived, and what becomes of it.
#pragma once

#include <curl/curl.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "forebay/base/byte_source.h"
#include "forebay/net/client/http_client.h"

namespace forebay::net {

/// A list of header lines for curl.
struct HeaderLinesDeleter {
  void operator()(curl_slist* lines) const { curl_slist_free_all(lines); }
};
using HeaderLines = std::unique_ptr<curl_slist, HeaderLinesDeleter>;

/// Belongs to one thread at a time: the sender's, then the client's.
class HttpTransfer {
 public:
  HttpTransfer(HttpRequest request, HttpClient::Callback done);
  HttpTransfer(const HttpTransfer&) = delete;
  HttpTransfer& operator=(const HttpTransfer&) = delete;

  /// invalid_argument for a request that must not be sent.
  Status check() const;

  Urgency urgency() const { return request_.urgency; }
  int64_t deadline_ns() const { return request_.deadline_ns; }
  const std::stop_token& cancellation() const { return request_.cancellation; }
  const std::string& origin() const { return origin_; }

  /// Puts the request's settings into `easy`, which must stay valid until finish().
  Status begin(CURL* easy, const HttpClientOptions& options);
  CURL* easy() const { return easy_; }

  /// Takes the outcome of the transfer. Returns true if the answer is a redirect that is to be followed: the
  /// transfer may then begin again, possibly at another origin(). Otherwise it is ready for answer().
  bool finish(CURLcode code, const HttpClientOptions& options);
  /// Calls the callback with the result of finish().
  void answer();
  /// Calls the callback with an error, whose text is put behind the request's name.
  void answer(const Status& error);

 private:
  static size_t on_header(char* data, size_t size, size_t count, void* self);
  static size_t on_body(char* data, size_t size, size_t count, void* self);
  static size_t on_send(char* buffer, size_t size, size_t count, void* self);
  static int on_seek(void* self, curl_off_t offset, int origin);

  void set_limits(const HttpClientOptions& options);
  Status set_method();
  Status set_headers();
  void set_callbacks();

  Status take_header(std::string_view line);
  Status end_head();
  Status find_target();
  /// Returns false if the rest of the body is not wanted.
  Result<bool> take_body(Bytes part);
  Result<bool> fill_target(Bytes part);
  Result<bool> collect(Bytes part);
  bool target_has_all() const;

  Status outcome(CURLcode code) const;
  bool may_follow() const;
  Result<std::string> redirect_target(const HttpClientOptions& options) const;
  void drop_headers_for_other_origin();
  std::string what() const;

  HttpRequest request_;
  HttpClient::Callback done_;
  std::string origin_;
  size_t redirects_ = 0;

  // Of the attempt under way.
  CURL* easy_ = nullptr;
  HeaderLines header_lines_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
  size_t max_headers_ = 0;
  size_t max_header_bytes_ = 0;
  size_t header_count_ = 0;
  size_t header_bytes_ = 0;
  int64_t started_ns_ = 0;
  uint64_t sent_bytes_ = 0;
  bool has_head_ = false;
  bool is_cut_ = false;  // ended on purpose, with all that is wanted
  std::optional<BodyTarget> target_;
  uint64_t skipped_bytes_ = 0;
  HttpResponse response_;
  Status failure_;  // why a callback ended the transfer
};

}  // namespace forebay::net
