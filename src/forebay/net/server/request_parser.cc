#include "forebay/net/server/request_parser.h"

#include <boost/beast/core/error.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>
#include <utility>

#include "forebay/net/server/field_values.h"

namespace forebay::net {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using BeastView = boost::beast::string_view;

std::string text_of_view(BeastView view) {
  return {view.data(), view.size()};
}

struct Fault {
  int status;
  const char* reason;
};

Fault fault_of(const error_code& code) {
  if (code == http::error::header_limit || code == http::error::buffer_overflow) {
    return {431, "the request's header is too large"};
  }
  if (code == http::error::body_limit) {
    return {413, "the request's body is too large"};
  }
  if (code == http::error::bad_version) {
    return {505, "only HTTP/1.0 and HTTP/1.1 are spoken here, with lines that end with CR LF"};
  }
  return {400, "the request is not HTTP"};
}

}  // namespace

class RequestParser::Grammar final : public http::basic_parser<true> {
 public:
  Grammar(const HeadLimits& limits, BodySink sink) : limits_(limits), sink_(std::move(sink)) {
    header_limit(static_cast<std::uint32_t>(limits.header_bytes));
    // Who takes the body knows its limit. (Without a value, this version takes every length for too large.)
    body_limit(std::numeric_limits<std::uint64_t>::max());
  }

  Progress put_bytes(Bytes bytes);
  bool has_failed() const { return fault_.status != 0; }

  ParsedHead head_;

 private:
  void on_request_impl(http::verb, BeastView method, BeastView target, int version, error_code&) override {
    head_.method = text_of_view(method);
    head_.target = text_of_view(target);
    head_.is_http_1_0 = version == 10;
  }

  void on_field_impl(http::field, BeastView name, BeastView value, error_code& code) override {
    if (++field_count_ > limits_.fields) {
      code = http::error::header_limit;
    } else if (!is_header_done()) {
      head_.headers.push_back({text_of_view(name), text_of_view(value)});  // those of trailers are dropped
    }
  }

  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  void on_chunk_header_impl(std::uint64_t, BeastView, error_code&) override {}
  void on_finish_impl(error_code&) override {}
  void on_response_impl(int, BeastView, int, error_code&) override {}
  std::size_t on_body_impl(BeastView, error_code&) override { return 0; }

  std::size_t on_chunk_body_impl(std::uint64_t, BeastView body, error_code& code) override {
    if (!sink_(std::as_bytes(std::span(body.data(), body.size())))) {
      code = http::error::end_of_stream;
    }
    return body.size();
  }

  void finish_head();
  Progress failed(size_t taken, const Fault& fault) {
    fault_ = fault;
    return {taken, fault.status, fault.reason};
  }

  const HeadLimits limits_;
  const BodySink sink_;
  size_t field_count_ = 0;
  size_t header_bytes_ = 0;
  Fault fault_{0, ""};
};

RequestParser::Progress RequestParser::Grammar::put_bytes(Bytes bytes) {
  size_t taken = 0;
  while (taken < bytes.size() && !is_done()) {
    const bool is_in_head = !is_header_done();
    error_code code;
    const size_t step = put(boost::asio::const_buffer(bytes.data() + taken, bytes.size() - taken), code);
    taken += step;
    header_bytes_ += is_in_head ? step : 0;
    const bool needs_more = code == http::error::need_more;
    if (header_bytes_ > limits_.header_bytes) {
      return failed(taken, {431, "the request's header is too large"});
    }
    if (code && !needs_more) {
      return failed(taken, fault_of(code));
    }
    if (is_in_head && is_header_done()) {
      finish_head();
      return has_failed() ? failed(taken, fault_) : Progress{.taken = taken};
    }
    if (needs_more) {
      break;
    }
  }
  // A chunk's first line, or what follows the last chunk, is read in one piece.
  if (is_header_done() && bytes.size() - taken >= limits_.header_bytes && !is_done()) {
    return failed(taken, {431, "a chunk's header is too large"});
  }
  return {.taken = taken};
}

// The rules of RFC 9112, 6.1 and 6.3, by which requests could otherwise be smuggled past proxies.
void RequestParser::Grammar::finish_head() {
  const size_t codings = count_fields(head_.headers, "Transfer-Encoding");
  const std::string* const coding = find_header(head_.headers, "Transfer-Encoding");
  if (codings > 0 && (head_.is_http_1_0 || count_fields(head_.headers, "Content-Length") > 0)) {
    fault_ = {400, "the length of the request's body is ambiguous"};
  } else if (codings > 1 || (coding != nullptr && (!is_same_name(*coding, "chunked") || !chunked()))) {
    fault_ = {501, "of the transfer codings only \"chunked\" is known here"};
  } else if (count_fields(head_.headers, "Host") != 1 && !head_.is_http_1_0) {
    fault_ = {400, "the request does not name one host"};
  }
  head_.keeps_alive = keep_alive();
  head_.content_length = 0;
  if (chunked()) {
    head_.content_length = std::nullopt;
  } else if (const auto length = content_length()) {
    head_.content_length = *length;
  }
  field_count_ = 0;
}

RequestParser::RequestParser(const HeadLimits& limits, BodySink sink)
    : grammar_(std::make_unique<Grammar>(limits, std::move(sink))) {
}

RequestParser::~RequestParser() = default;

RequestParser::Progress RequestParser::put(Bytes bytes) {
  return grammar_->put_bytes(bytes);
}

bool RequestParser::has_head() const {
  return grammar_->is_header_done() && !grammar_->has_failed();
}

ParsedHead RequestParser::take_head() {
  return std::move(grammar_->head_);
}

bool RequestParser::has_chunks() const {
  return grammar_->chunked() && !grammar_->is_done();
}

}  // namespace forebay::net
