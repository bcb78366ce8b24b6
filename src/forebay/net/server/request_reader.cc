#include "forebay/net/server/request_reader.h"

#include <algorithm>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/log/log.h"
#include "forebay/net/server/field_values.h"

namespace forebay::net {
namespace {

ServerResponse busy_response() {
  ServerResponse response =
      ServerResponse::of_text(503, "too many bytes of requests are under way: try again in a moment");
  response.headers.push_back({"Retry-After", "1"});
  return response;
}

ServerResponse unauthorized() {
  ServerResponse response = ServerResponse::of_text(401, "this server demands its bearer token");
  response.headers.push_back({"WWW-Authenticate", "Bearer"});
  return response;
}

ServerResponse unsupported_coding() {
  ServerResponse response =
      ServerResponse::of_text(415, "of the content codings gzip and deflate are known here, one at a time");
  response.headers.push_back({"Accept-Encoding", "gzip, deflate"});
  return response;
}

}  // namespace

RequestReader::RequestReader(const RequestRules& rules, std::string_view peer)
    : rules_(rules),
      parser_(std::make_unique<RequestParser>(rules.head, [this](Bytes bytes) { return take_body(bytes); })) {
  head_.peer = peer;
}

size_t RequestReader::put(Bytes bytes) {
  switch (phase_) {
    case Phase::kHead:
      return put_head(bytes);
    case Phase::kChunks:
      return put_chunks(bytes);
    case Phase::kLength: {
      const size_t taken = static_cast<size_t>(std::min<uint64_t>(left_bytes_, bytes.size()));
      left_bytes_ -= taken;
      if (take_body(bytes.first(taken)) && left_bytes_ == 0) {
        finish();
      }
      return taken;
    }
    case Phase::kDone:
      break;
  }
  return 0;
}

size_t RequestReader::put_head(Bytes bytes) {
  const RequestParser::Progress progress = parser_->put(bytes);
  if (progress.status != 0) {
    Counter& counter =
        progress.status == 431 ? rules_.counters.refused_header : rules_.counters.refused_malformed;
    refuse(progress.status, progress.reason, &counter);
  } else if (parser_->has_head()) {
    begin_body();
  }
  return progress.taken;
}

size_t RequestReader::put_chunks(Bytes bytes) {
  const RequestParser::Progress progress = parser_->put(bytes);
  if (phase_ == Phase::kDone) {
    return progress.taken;  // refused by take_body()
  }
  if (progress.status != 0) {
    refuse(progress.status, progress.reason, &rules_.counters.refused_malformed);
  } else if (!parser_->has_chunks()) {
    finish();
  }
  return progress.taken;
}

void RequestReader::begin_body() {
  ParsedHead parsed = parser_->take_head();
  head_.method = std::move(parsed.method);
  head_.headers = std::move(parsed.headers);
  head_.content_length = parsed.content_length;
  head_.is_http_1_0 = parsed.is_http_1_0;
  keeps_alive_ = parsed.keeps_alive;
  left_bytes_ = parsed.content_length.value_or(0);
  phase_ = parsed.content_length ? Phase::kLength : Phase::kChunks;
  if (const std::string* const accepts = head_.header("Accept-Encoding")) {
    accepted_ = accepted_coding(*accepts);
  }
  const bool is_wanted = check_target(std::move(parsed.target)) && check_expectation() && check_token() &&
                         ask_handler() && prepare_body();
  const bool has_body = phase_ == Phase::kChunks || left_bytes_ > 0;
  if (phase_ != Phase::kDone && !has_body) {
    finish();
  }
  wants_continue_ = is_wanted && has_body && expects_continue_;
}

bool RequestReader::check_target(std::string target) {
  Result<RequestTarget> parsed = parse_target(target);
  if (parsed.ok()) {
    head_.target = *std::move(parsed);
    return true;
  }
  refuse(400, message(parsed.status()), &rules_.counters.refused_malformed);
  return false;
}

bool RequestReader::check_expectation() {
  const std::string* const expected = head_.header("Expect");
  expects_continue_ = expected != nullptr && !head_.is_http_1_0;
  if (expects_continue_ && !is_same_name(*expected, "100-continue")) {
    refuse(417, "of the expectations only \"100-continue\" is known here",
           &rules_.counters.refused_malformed);
    return false;
  }
  if (head_.method == "CONNECT") {
    refuse(501, "this is no proxy", &rules_.counters.refused_malformed);
    return false;
  }
  return true;
}

bool RequestReader::check_token() {
  if (rules_.bearer_token.empty() ||
      std::ranges::find(rules_.paths_without_token, head_.target.path) != rules_.paths_without_token.end()) {
    return true;
  }
  const std::string* const given = head_.header("Authorization");
  if (given != nullptr && is_bearer(*given, rules_.bearer_token)) {
    return true;
  }
  refuse_and_go_on(unauthorized(), &rules_.counters.refused_token, rules_.discard_bytes);
  return false;
}

bool RequestReader::ask_handler() {
  most_bytes_ = rules_.body_bytes;
  if (!rules_.handler.admit) {
    return true;
  }
  Result<Admission> admission = caught([&]() -> Result<Admission> { return rules_.handler.admit(head_); });
  if (!admission.ok()) {
    log_warning("the HTTP server's handler failed at a request's head: {}", message(admission.status()));
    admission = Admission{.refusal = ServerResponse::of_text(500, "the request could not be looked at")};
  }
  most_bytes_ = std::min(most_bytes_, admission->max_body_bytes);
  lead_bytes_ = std::min(admission->bytes_before_body, kMaxBytesBeforeBody);
  answer_kind_ = std::move(admission->answer_kind);
  if (admission->refusal) {
    refuse_and_go_on(*std::move(admission->refusal), &rules_.counters.refused_by_handler,
                     rules_.discard_bytes);
    return false;
  }
  return true;
}

bool RequestReader::prepare_body() {
  if (head_.content_length == 0U) {
    return true;
  }
  std::optional<ContentCoding> coding = ContentCoding::kIdentity;
  if (count_fields(head_.headers, "Content-Encoding") > 1) {
    coding = std::nullopt;
  } else if (const std::string* const named = head_.header("Content-Encoding")) {
    coding = parse_content_encoding(*named);
  }
  if (!coding) {
    refuse_and_go_on(unsupported_coding(), &rules_.counters.refused_coding, rules_.discard_bytes);
    return false;
  }
  if (left_bytes_ > most_bytes_) {
    refuse_body(out_of_range("a body of {} bytes exceeds the limit of {}", left_bytes_, most_bytes_));
    return false;
  }
  body_.emplace(most_bytes_, rules_.bodies, lead_bytes_);
  if (*coding != ContentCoding::kIdentity) {
    inflater_.emplace(*coding);
  } else if (head_.content_length) {
    if (const Status room = body_->make_room(left_bytes_); !room.ok()) {
      refuse_body(room);
      return false;
    }
  }
  return true;
}

MutableBytes RequestReader::direct_room() const {
  const bool is_direct = phase_ == Phase::kLength && !refusal_ && !inflater_ && body_;
  return is_direct ? body_->room() : MutableBytes();
}

void RequestReader::received_directly(size_t bytes) {
  body_->filled(bytes);
  left_bytes_ -= bytes;
  if (left_bytes_ == 0) {
    finish();
  }
}

// False once the request is given up.
bool RequestReader::take_body(Bytes bytes) {
  if (refusal_) {
    dropped_bytes_ += bytes.size();
    if (dropped_bytes_ > most_dropped_bytes_) {
      keeps_alive_ = false;
      finish();
    }
    return phase_ != Phase::kDone;
  }
  const Status taken = inflater_ ? inflater_->put(bytes, &*body_) : body_->append(bytes);
  if (!taken.ok()) {
    refuse_body(taken);
  }
  return phase_ != Phase::kDone;
}

ServerResponse RequestReader::in_form_of_handler(ServerResponse refusal) const {
  return rules_.handler.refused ? rules_.handler.refused(std::move(refusal)) : refusal;
}

void RequestReader::refuse_body(const Status& error) {
  const ServerCounters& counters = rules_.counters;
  if (error.code() == StatusCode::kOutOfRange) {
    return refuse_and_go_on(ServerResponse::of_text(413, message(error)), &counters.refused_body_size,
                            rules_.discard_bytes);
  }
  if (error.code() == StatusCode::kDataLoss) {
    return refuse_and_go_on(ServerResponse::of_text(400, message(error)), &counters.refused_coding,
                            rules_.discard_bytes);
  }
  // Nothing is wrong with this body; the client shall keep its connection.
  refuse_and_go_on(busy_response(), &counters.refused_memory, std::max(most_bytes_, rules_.discard_bytes));
}

void RequestReader::refuse_and_go_on(ServerResponse response, Counter* counter, uint64_t most_dropped_bytes) {
  counter->add(1);
  refusal_ = in_form_of_handler(std::move(response));
  body_.reset();
  inflater_.reset();
  most_dropped_bytes_ = most_dropped_bytes;
  // A client that waits for "100 Continue" may send its body or not: nobody can tell what comes next.
  const bool is_unclear = expects_continue_ && head_.content_length != 0U;
  if (is_unclear || left_bytes_ > most_dropped_bytes_) {
    keeps_alive_ = false;
    finish();
  }
}

void RequestReader::refuse(int status, std::string_view reason, Counter* counter) {
  counter->add(1);
  refusal_ = in_form_of_handler(ServerResponse::of_text(status, reason));
  keeps_alive_ = false;
  finish();
}

void RequestReader::finish() {
  if (inflater_ && !refusal_ && !inflater_->is_complete()) {
    inflater_.reset();
    return refuse(400, "a compressed body ends too early", &rules_.counters.refused_coding);
  }
  inflater_.reset();
  wants_continue_ = false;
  phase_ = Phase::kDone;
}

ExchangeFacts RequestReader::facts() const {
  return {.is_head_request = head_.method == "HEAD",
          .is_http_1_0 = head_.is_http_1_0,
          .accepted = accepted_,
          .closes = !keeps_alive_};
}

ServerRequest RequestReader::take_request() {
  return {
      .head = std::move(head_), .body = body_ ? body_->take() : nullptr, .body_offset_bytes = lead_bytes_};
}

}  // namespace forebay::net
