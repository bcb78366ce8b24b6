// A request as a handler of the server gets it, and what decides on it before its body has come.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "forebay/memory/buffer.h"
#include "forebay/net/http_message.h"
#include "forebay/net/server/request_target.h"
#include "forebay/net/server/responder.h"
#include "forebay/net/server/server_response.h"

namespace forebay::net {

/// What is known before the body comes.
struct RequestHead {
  std::string method;  // as it came: "GET"
  RequestTarget target;
  std::vector<HttpHeader> headers;         // as they came, in order
  std::optional<uint64_t> content_length;  // none for a chunked body, 0 without a body
  bool is_http_1_0 = false;
  std::string peer;  // "127.0.0.1:40000", "[::1]:40000", "this host" at a Unix socket

  const std::string* header(std::string_view name) const { return find_header(headers, name); }
};

struct ServerRequest {
  RequestHead head;
  /// In one piece, from the host pool, for this request alone; without any content coding (gzip, deflate).
  /// Null if there is none. It counts against the server's budget as long as somebody keeps it.
  memory::BufferRef body;
  /// Where the body begins in its buffer, as Admission::bytes_before_body says. What lies before it is the
  /// handler's too.
  size_t body_offset_bytes = 0;
  int64_t come_at_ns = 0;  // when it had come whole (steady_clock()); it may have waited since

  Bytes body_bytes() const { return body == nullptr ? Bytes() : body->bytes().subspan(body_offset_bytes); }
};

inline constexpr size_t kMaxBytesBeforeBody = 256;

/// What is decided on the head of a request.
struct Admission {
  /// Limit of the body, decoded; the server's own limit holds all the same.
  uint64_t max_body_bytes = UINT64_MAX;
  /// Room before the body in its buffer, which begins at a multiple of 64: so that what lies somewhere in the
  /// body can be aligned. At most kMaxBytesBeforeBody.
  size_t bytes_before_body = 0;
  /// Requests whose answers are about as long as each other have the same; empty: nobody knows. Where the
  /// answers of all are too many bytes, a request waits, its body received, until there is room for such an
  /// answer.
  std::string answer_kind;
  /// The answer, if the body is not wanted.
  std::optional<ServerResponse> refusal;
};

/// What stands on the server. Both are called on the server's threads, several at a time if it has several;
/// they must not block, and what they throw is answered with 500.
struct HttpHandler {
  /// Optional: called with the head of each request, before its body is read.
  std::function<Admission(const RequestHead& head)> admit;
  std::function<void(ServerRequest request, Responder responder)> handle;
  /// Optional: what the server refuses by itself, a plain text, in the handler's own form.
  std::function<ServerResponse(ServerResponse refusal)> refused;
};

}  // namespace forebay::net
