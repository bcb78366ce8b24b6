#include "forebay/net/server/connection.h"

#include <algorithm>
#include <span>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/clock.h"
#include "forebay/base/log/log.h"
#include "forebay/base/units.h"
#include "forebay/net/server/listener.h"

namespace forebay::net {
namespace {

namespace asio = boost::asio;

// Of what is received beside a header, so that the parser may demand a whole header in one piece.
constexpr size_t kBesideHeader_bytes = 1 << 10;

}  // namespace

/// Lets any thread say that an answer is there; the connection may have gone by then.
class Connection::Sink final : public AnswerSink {
 public:
  Sink(std::shared_ptr<Mailbox> mailbox, std::weak_ptr<Connection> connection)
      : mailbox_(std::move(mailbox)), connection_(std::move(connection)) {}

  void answered() override {
    mailbox_->post([connection = connection_] {
      if (const std::shared_ptr<Connection> alive = connection.lock()) {
        alive->write_answers();
      }
    });
  }

 private:
  const std::shared_ptr<Mailbox> mailbox_;
  const std::weak_ptr<Connection> connection_;
};

/// A request that has come, until it is given to the handler. On its worker's thread, but for its end.
class Connection::WaitingRequest {
 public:
  WaitingRequest(ServerRequest request, std::shared_ptr<Exchange> exchange, Responder responder)
      : request_(std::move(request)), exchange_(std::move(exchange)), responder_(std::move(responder)) {
    request_.come_at_ns = steady_clock().now_ns();
  }

  void begin(const RequestRules& rules, AnswerRoom::Place place) {
    exchange_->begin(std::move(place));
    rules.handler.handle(std::move(request_), std::move(responder_));
  }

  /// Its client has gone: its body's memory is not kept until its turn.
  void drop() { request_ = {}; }

  void begin_later(const RequestRules& rules, AnswerRoom::Place place) {
    if (exchange_->is_gone()) {
      return;
    }
    const Status begun = caught([&] {
      begin(rules, std::move(place));
      return ok_status();
    });
    if (!begun.ok()) {
      log_warning("the HTTP server's handler failed: {}", message(begun));
    }
  }

 private:
  ServerRequest request_;
  const std::shared_ptr<Exchange> exchange_;
  Responder responder_;
};

Connection::Connection(IoWorker& worker, FileDescriptor socket)
    : worker_(worker),
      shared_(worker.shared()),
      peer_(peer_name(socket.get())),
      received_(shared_.limits.header_bytes + kBesideHeader_bytes) {
  Error error;
  Socket made(worker.context().get_executor());
  made.assign(asio::ip::tcp::v4(), socket.get(), error);
  if (!error) {
    socket.release();
  }
  made.non_blocking(true, error);
  if (shared_.tls) {
    stream_.emplace<SecureSocket>(std::move(made), *shared_.tls);
  } else {
    stream_.emplace<Socket>(std::move(made));
  }
}

Connection::~Connection() = default;

Socket& Connection::socket() {
  if (auto* const secure = std::get_if<SecureSocket>(&stream_)) {
    return secure->next_layer();
  }
  return std::get<Socket>(stream_);
}

void Connection::start() {
  sink_ = std::make_shared<Sink>(worker_.mailbox(), weak_from_this());
  idle_since_ns_ = steady_clock().now_ns();
  idle_limit_ms_ = shared_.timeouts.header_ms;
  auto* const secure = std::get_if<SecureSocket>(&stream_);
  if (secure == nullptr) {
    is_ready_ = true;
    return read();
  }
  secure->async_handshake(SecureSocket::server, [self = shared_from_this()](const Error& error) {
    if (error) {
      return self->close_now();
    }
    self->is_ready_ = true;
    self->read();
  });
}

// Something is always being received, if there is room for it: so the end of a client is seen.
void Connection::read() {
  if (is_reading_ || has_input_ended_ || is_closed_ || !is_ready_) {
    return;
  }
  MutableBytes into =
      reader_ != nullptr && received_.unread().empty() ? reader_->direct_room() : MutableBytes();
  // Kept alive until then, with the memory that is written to.
  const std::shared_ptr<RequestReader> direct = into.empty() ? nullptr : reader_;
  if (direct == nullptr) {
    into = received_.room();
  }
  if (into.empty()) {
    return;
  }
  is_reading_ = true;
  with_stream([&](auto& stream) {
    stream.async_read_some(asio::mutable_buffer(into.data(), into.size()),
                           [self = shared_from_this(), direct](const Error& error, size_t bytes) {
                             self->on_read(error, bytes, direct);
                           });
  });
}

void Connection::on_read(const Error& error, size_t bytes, const std::shared_ptr<RequestReader>& direct) {
  is_reading_ = false;
  if (is_closed_) {
    return;
  }
  shared_.rules->counters.received_bytes.add(bytes);
  received_bytes_ += bytes;
  if (is_ending_) {
    return error ? close_now() : read();  // into the same room again: nobody wants it
  }
  if (direct == nullptr) {
    received_.filled(bytes);
  } else if (direct == reader_) {  // otherwise it was refused meanwhile
    direct->received_directly(bytes);
  }
  if (error && error != asio::error::eof && error != asio::ssl::error::stream_truncated) {
    return close_now();
  }
  has_input_ended_ = static_cast<bool>(error);
  take_in();
  if (has_input_ended_ && !is_closed_) {
    on_input_end();
  }
}

bool Connection::begins_another() const {
  const ServerLimits& limits = shared_.limits;
  if (takes_no_more_ || worker_.is_draining() || received_.unread().empty() ||
      exchanges_.size() >= limits.requests_per_connection) {
    return false;
  }
  const uint64_t lying = lying_bytes();
  return lying == 0 || (lying <= limits.lying_bytes_per_connection && !shared_.room->answers->is_over());
}

void Connection::take_in() {
  for (;;) {
    if (reader_ == nullptr) {
      if (!begins_another()) {
        break;
      }
      reader_ = std::make_shared<RequestReader>(*shared_.rules, peer_);
      request_since_ns_ = steady_clock().now_ns();
    }
    const bool had_head = reader_->has_head();
    size_t taken = 0;
    if (!reader_->is_done()) {
      taken = reader_->put(received_.unread());
      received_.consume(taken);
    }
    if (!had_head && reader_->has_head()) {
      reading_pace_.begin(steady_clock().now_ns(), received_bytes_);
    }
    if (reader_->is_done()) {
      finish_request();
      continue;
    }
    if (taken == 0 || received_.unread().empty()) {
      break;
    }
  }
  write_continue();
  read();
}

void Connection::finish_request() {
  const std::shared_ptr<RequestReader> reader = std::move(reader_);
  reader_ = nullptr;
  const ExchangeFacts facts = reader->facts();
  takes_no_more_ = takes_no_more_ || facts.closes;
  idle_limit_ms_ = shared_.timeouts.idle_ms;
  if (reader->is_refused()) {
    return answer_now(facts, reader->take_refusal());
  }
  shared_.rules->counters.requests.add(1);
  const auto exchange = std::make_shared<Exchange>(facts, sink_, shared_.room);
  exchanges_.push_back(exchange);
  const Status begun = caught([&] {
    begin(*reader, exchange);
    return ok_status();
  });
  if (!begun.ok()) {
    log_warning("the HTTP server's handler failed: {}", message(begun));
  }
}

// Where no room is left for its answer, the request waits for its turn, while the connection goes on: it sees
// its client leave, and takes in and answers what comes behind.
void Connection::begin(RequestReader& reader, const std::shared_ptr<Exchange>& exchange) {
  const std::string kind = reader.answer_kind();
  Responder responder(exchange);  // answers whatever happens
  const auto waiting =
      std::make_shared<WaitingRequest>(reader.take_request(), exchange, std::move(responder));
  if (kind.empty()) {
    return waiting->begin(*shared_.rules, {});
  }
  std::optional<AnswerRoom::Place> place = shared_.room->answers->enter(
      kind, steady_clock().now_ns(),
      [waiting, mailbox = worker_.mailbox(), rules = &*shared_.rules](AnswerRoom::Place later) {
        mailbox->post([waiting, rules, later = std::move(later)]() mutable {
          waiting->begin_later(*rules, std::move(later));
        });
      });
  if (place) {
    return waiting->begin(*shared_.rules, *std::move(place));
  }
  exchange->on_gone([weak = std::weak_ptr<WaitingRequest>(waiting)] {
    if (const std::shared_ptr<WaitingRequest> left = weak.lock()) {
      left->drop();
    }
  });
}

void Connection::answer_now(const ExchangeFacts& facts, ServerResponse response) {
  exchanges_.push_back(std::make_shared<Exchange>(facts, sink_));
  exchanges_.back()->answer(std::move(response));
}

void Connection::on_input_end() {
  reader_ = nullptr;
  if (writes_nothing()) {
    return close_now();
  }
  watch_for_death();
}

void Connection::drain() {
  if (is_closed_ || is_ending_) {
    return;
  }
  if (!is_ready_) {
    return close_now();
  }
  write_answers();
}

void Connection::close_now() {
  if (is_closed_) {
    return;
  }
  is_closed_ = true;
  const std::shared_ptr<Connection> self = shared_from_this();
  // Taken out of Asio first: otherwise a forked child's copy would keep it under its eyes.
  Error ignored;
  if (socket().is_open()) {
    // What a client does not read would stay in the system's memory for long.
    socket().set_option(asio::socket_base::linger(is_writing_, 0), ignored);
    shut_down(FileDescriptor(socket().release(ignored)));
  }
  if (worker_.is_draining() && (reader_ != nullptr || !exchanges_.empty())) {
    shared_.cut_off.fetch_add(1);
  }
  for (const std::shared_ptr<Exchange>& exchange : std::exchange(exchanges_, {})) {
    exchange->leave();
    exchange->forget_answer();
    shared_.rules->counters.gone.add(exchange->is_answered() ? 0 : 1);
  }
  worker_.forget(this);
}

}  // namespace forebay::net
