#include "forebay/net/server/exchange.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <string_view>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/clock.h"
#include "forebay/base/log/log.h"
#include "forebay/base/units.h"
#include "forebay/net/http_fields.h"
#include "forebay/net/server/field_values.h"
#include "forebay/net/server/responder.h"

namespace forebay::net {
namespace {

constexpr uint64_t kLeastCompressedBytes = 1024;  // less fits a packet anyway
constexpr std::string_view kNoMemory = "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n";
constexpr std::array<std::string_view, 4> kOwnFields = {"Content-Length", "Transfer-Encoding", "Connection",
                                                        "Date"};

bool is_own_field(std::string_view name) {
  return std::ranges::any_of(kOwnFields, [&](std::string_view own) { return is_same_name(own, name); });
}

bool is_sendable_value(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

bool is_sound(const ServerResponse& response) {
  return response.status >= 200 && response.status <= 599 &&
         std::ranges::all_of(response.headers, [](const HttpHeader& field) {
           return is_token(field.name) && is_sendable_value(field.value);
         });
}

// RFC 9110, 5.6.7; by hand, since strftime() follows the locale.
std::string date_now() {
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto now = static_cast<time_t>(wall_clock_ns() / kSecond);
  tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[static_cast<size_t>(parts.tm_wday)],
                     parts.tm_mday, kMonths[static_cast<size_t>(parts.tm_mon)], parts.tm_year + 1900,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

void compress(ServerResponse* response, ContentCoding coding) {
  if (!response->may_compress || find_header(response->headers, "Content-Encoding") != nullptr ||
      response->body_bytes() < kLeastCompressedBytes) {
    return;
  }
  response->headers.push_back({"Vary", "Accept-Encoding"});
  if (coding == ContentCoding::kIdentity) {
    return;
  }
  // An error means that it would not be shorter, or that there is no memory: it goes as it is.
  if (Result<memory::BufferRef> shorter = compressed(response->body, coding); shorter.ok()) {
    response->headers.push_back({"Content-Encoding", std::string(name_of(coding))});
    response->body.clear();
    response->append(*shorter);
  }
}

void call(absl::AnyInvocable<void()>& callback) {
  const Status called = caught([&] {
    callback();
    return ok_status();
  });
  if (!called.ok()) {
    log_warning("a call that a client has gone failed: {}", message(called));
  }
}

bool may_have_length(int status) {
  return status != 204;
}

bool may_have_body(const ServerResponse& response, const ExchangeFacts& facts) {
  return !facts.is_head_request && response.status != 204 && response.status != 304;
}

uint64_t body_bytes(const EncodedResponse& encoded) {
  uint64_t bytes = 0;
  for (const BodyPiece& piece : encoded.body) {
    bytes += bytes_of_piece(piece).size();
  }
  return bytes;
}

}  // namespace

EncodedResponse encode_response(ServerResponse response, const ExchangeFacts& facts) {
  if (!is_sound(response)) {
    log_warning("the HTTP server was given an answer (status {}) that cannot be sent", response.status);
    response = ServerResponse::of_text(500, "the answer could not be sent");
  }
  if (may_have_body(response, facts)) {
    compress(&response, facts.accepted);
  }
  EncodedResponse encoded;
  auto into = std::back_inserter(encoded.head);
  fmt::format_to(into, "HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status, status_name(response.status),
                 date_now());
  for (const HttpHeader& field : response.headers) {
    if (!is_own_field(field.name)) {
      fmt::format_to(into, "{}: {}\r\n", field.name, field.value);
    }
  }
  if (may_have_body(response, facts)) {
    fmt::format_to(into, "Content-Length: {}\r\n", response.body_bytes());
    encoded.body = std::move(response.body);
  } else if (may_have_length(response.status) && (response.content_length || !response.body.empty())) {
    fmt::format_to(into, "Content-Length: {}\r\n", response.content_length.value_or(response.body_bytes()));
  }
  return encoded;
}

Exchange::Exchange(const ExchangeFacts& facts, std::shared_ptr<AnswerSink> sink,
                   std::shared_ptr<const ServerRoom> room)
    : facts_(facts), sink_(std::move(sink)), room_(std::move(room)), owner_(getpid()) {
}

Exchange::~Exchange() {
  if (is_forked_copy()) {
    place_.forget();  // another thread of the parent's may have the room's lock
    return;
  }
  forget_answer();
}

void Exchange::forget_answer() {
  const uint64_t bytes = lying_bytes_.exchange(0);
  if (room_ != nullptr && bytes > 0) {
    room_->answers->remove(bytes);
  }
}

bool Exchange::is_forked_copy() const {
  return getpid() != owner_;
}

EncodedResponse Exchange::encode(ServerResponse response) {
  try {
    return encode_response(std::move(response), facts_);
  } catch (const std::exception& error) {
    log_warning("the HTTP server could not write an answer: {}", error.what());
    return {.head = std::string(kNoMemory), .body = {}};
  }
}

EncodedResponse Exchange::encode_no_room() {
  room_->refused->add(1);
  try {
    return encode(room_->no_room);
  } catch (const std::exception&) {
    return {.head = std::string(kNoMemory), .body = {}};
  }
}

bool Exchange::keep(uint64_t bytes) {
  if (is_gone()) {
    return true;  // nobody takes it, and it goes with its request
  }
  if (room_ != nullptr && !room_->answers->add(bytes)) {
    return false;
  }
  lying_bytes_.store(bytes);
  return true;
}

void Exchange::answer(ServerResponse response) {
  if (is_forked_copy() || is_claimed_.exchange(true)) {
    return;
  }
  const bool is_success = response.status == 200;
  EncodedResponse encoded = encode(std::move(response));
  const uint64_t bytes = body_bytes(encoded);
  if (!keep(bytes)) {
    encoded = encode_no_room();
    keep(body_bytes(encoded));
  }
  AnswerRoom::Place place = std::move(place_);  // after the answer is counted: the room never seems larger
  if (is_success) {
    place.answered(bytes);
  }
  answered_at_ns_.store(steady_clock().now_ns());
  absl::AnyInvocable<void()> unused;  // freed without the lock
  {
    const MutexLock lock(mutex_);
    answer_ = std::move(encoded);
    unused = std::move(on_gone_);
    on_gone_ = nullptr;
  }
  is_answered_.store(true, std::memory_order_release);
  sink_->answered();
}

EncodedResponse Exchange::take_answer() {
  const MutexLock lock(mutex_);
  return std::move(answer_);
}

void Exchange::on_gone(absl::AnyInvocable<void()> callback) {
  if (is_forked_copy()) {
    return;
  }
  absl::AnyInvocable<void()> previous;
  {
    const MutexLock lock(mutex_);
    if (!is_gone()) {
      if (!is_claimed_.load()) {
        previous = std::exchange(on_gone_, std::move(callback));
      }
      return;
    }
  }
  call(callback);
}

void Exchange::leave() {
  absl::AnyInvocable<void()> callback;
  {
    const MutexLock lock(mutex_);
    is_gone_.store(true, std::memory_order_release);
    callback = std::move(on_gone_);
    on_gone_ = nullptr;
  }
  if (callback != nullptr && !is_claimed_.load()) {
    call(callback);
  }
}

Responder::Responder(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {
}

Responder& Responder::operator=(Responder&& other) noexcept {
  std::swap(exchange_, other.exchange_);
  return *this;
}

Responder::~Responder() {
  if (exchange_ != nullptr && !exchange_->is_answered()) {
    exchange_->answer(ServerResponse::of_text(500, "the request was dropped without an answer"));
  }
}

void Responder::answer(ServerResponse response) {
  exchange_->answer(std::move(response));
}

bool Responder::is_gone() const {
  return exchange_->is_gone();
}

void Responder::on_gone(absl::AnyInvocable<void()> callback) {
  exchange_->on_gone(std::move(callback));
}

}  // namespace forebay::net
