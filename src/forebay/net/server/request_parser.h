// The grammar of HTTP/1.1 requests: Boost.Beast's parser, fed with bytes, without any socket.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/net/http_message.h"

namespace forebay::net {

struct HeadLimits {
  size_t header_bytes = 32 << 10;  // first line and fields together; trailers once more
  size_t fields = 100;
};

/// What the head of a request says, as it came.
struct ParsedHead {
  std::string method;
  std::string target;
  std::vector<HttpHeader> headers;
  std::optional<uint64_t> content_length;  // none: chunked; 0: no body
  bool is_http_1_0 = false;
  bool keeps_alive = false;
};

/// Reads one request's head and, if its body is chunked, that body too. One thread.
class RequestParser {
 public:
  /// Gets the content of chunks; false ends the parsing.
  using BodySink = std::function<bool(Bytes bytes)>;

  RequestParser(const HeadLimits& limits, BodySink sink);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  /// Takes bytes and returns how many; the others are to be given again, with more behind them. Stops after
  /// the head. The status for the client (400, 413, 431, 501, 505) where it fails, after which it is of no
  /// use.
  struct Progress {
    size_t taken = 0;
    int status = 0;  // 0: so far all is well
    const char* reason = "";
  };
  Progress put(Bytes bytes);

  bool has_head() const;
  /// After the head, once.
  ParsedHead take_head();
  /// After the head: whether a chunked body follows, or has not ended.
  bool has_chunks() const;

 private:
  class Grammar;
  std::unique_ptr<Grammar> grammar_;
};

}  // namespace forebay::net
