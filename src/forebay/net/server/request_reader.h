// Reads one request from bytes as they come: head, decisions, body. Knows no socket and no time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/budget/budget.h"
#include "forebay/net/server/body_buffer.h"
#include "forebay/net/server/content_coding.h"
#include "forebay/net/server/exchange.h"
#include "forebay/net/server/request_parser.h"
#include "forebay/net/server/server_counters.h"
#include "forebay/net/server/server_request.h"

namespace forebay::net {

/// What holds for all requests of a server.
struct RequestRules {
  HeadLimits head;
  uint64_t body_bytes = 0;     // of one body, as it comes and decoded
  uint64_t discard_bytes = 0;  // of a body that is not wanted: a longer one ends the connection
  std::shared_ptr<Budget> bodies;
  std::string bearer_token;  // empty: none is needed
  std::vector<std::string> paths_without_token;
  HttpHandler handler;
  ServerCounters counters;
};

/// One thread.
class RequestReader {
 public:
  /// `rules` must outlive it.
  RequestReader(const RequestRules& rules, std::string_view peer);
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  /// Takes bytes and returns how many. Those that are left, while it is not done, are to be given again with
  /// more behind them.
  size_t put(Bytes bytes);
  /// Where the next bytes may be received instead of being put: the body's own memory. Empty if they may not.
  MutableBytes direct_room() const;
  void received_directly(size_t bytes);

  bool has_head() const { return phase_ != Phase::kHead; }
  bool is_done() const { return phase_ == Phase::kDone; }
  /// Whether the client waits to be told "100 Continue".
  bool wants_continue() const { return wants_continue_; }
  void told_to_continue() { wants_continue_ = false; }

  /// Gives up with this answer, after which the connection ends.
  void refuse(int status, std::string_view reason, Counter* counter);

  /// When done: what the answer depends on, and either the refusal or the request, once.
  ExchangeFacts facts() const;
  bool is_refused() const { return refusal_.has_value(); }
  ServerResponse take_refusal() { return *std::move(refusal_); }
  ServerRequest take_request();
  const std::string& answer_kind() const { return answer_kind_; }

 private:
  enum class Phase { kHead, kLength, kChunks, kDone };

  size_t put_head(Bytes bytes);
  size_t put_chunks(Bytes bytes);
  void begin_body();
  bool check_target(std::string target);
  bool check_expectation();
  bool check_token();
  bool ask_handler();
  bool prepare_body();
  /// An answer after which the connection goes on, if the rest of the body is short enough to be dropped.
  void refuse_and_go_on(ServerResponse response, Counter* counter, uint64_t most_dropped_bytes);
  ServerResponse in_form_of_handler(ServerResponse refusal) const;
  void refuse_body(const Status& error);
  bool take_body(Bytes bytes);
  void finish();

  const RequestRules& rules_;
  RequestHead head_;
  Phase phase_ = Phase::kHead;
  std::unique_ptr<RequestParser> parser_;
  uint64_t left_bytes_ = 0;     // of a body whose length is known
  uint64_t most_bytes_ = 0;     // of the body, decoded
  size_t lead_bytes_ = 0;       // before the body in its buffer
  uint64_t dropped_bytes_ = 0;  // of a body that is not wanted
  uint64_t most_dropped_bytes_ = 0;
  std::optional<BodyBuffer> body_;
  std::optional<Inflater> inflater_;
  std::optional<ServerResponse> refusal_;
  std::string answer_kind_;
  ContentCoding accepted_ = ContentCoding::kIdentity;
  bool keeps_alive_ = false;
  bool expects_continue_ = false;
  bool wants_continue_ = false;
};

}  // namespace forebay::net
