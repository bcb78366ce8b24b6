#include "forebay/net/server/connection.h"

#include <algorithm>
#include <span>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/clock.h"
#include "forebay/base/log.h"
#include "forebay/base/units.h"
#include "forebay/net/server/listener.h"

namespace forebay::net {
namespace {

namespace asio = boost::asio;

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr size_t kMostBuffers = 64;  // of one call of the system
// Of what is received beside a header, so that the parser may demand a whole header in one piece.
constexpr size_t kBesideHeader_bytes = 1 << 10;

/// A part of a list of buffers, as Asio takes them.
struct BufferRange {
  using value_type = asio::const_buffer;
  using const_iterator = const asio::const_buffer*;
  const_iterator first;
  const_iterator last;
  const_iterator begin() const { return first; }
  const_iterator end() const { return last; }
};

asio::const_buffer buffer_of(Bytes bytes) {
  return {bytes.data(), bytes.size()};
}

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

template <class Use>
void Connection::with_stream(const Use& use) {
  if (auto* const secure = std::get_if<SecureSocket>(&stream_)) {
    use(*secure);
  } else {
    use(std::get<Socket>(stream_));
  }
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
  reading_.bytes += bytes;
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
  return !takes_no_more_ && !worker_.is_draining() && !received_.unread().empty() &&
         exchanges_.size() < shared_.limits.requests_per_connection &&
         lying_bytes() <= shared_.limits.lying_bytes_per_connection;
}

uint64_t Connection::lying_bytes() const {
  uint64_t bytes = 0;
  for (const std::shared_ptr<Exchange>& exchange : exchanges_) {
    bytes += exchange->lying_bytes();
  }
  return bytes;
}

bool Connection::takes_too_long(int64_t now_ns) const {
  return is_writing_ && now_ns - writing_since_ns_ >= shared_.timeouts.taking_ms * kMillisecond;
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
      reading_ = {.since_ns = steady_clock().now_ns()};
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
  const auto exchange = std::make_shared<Exchange>(facts, sink_, shared_.lying_bytes);
  exchanges_.push_back(exchange);
  if (has_input_ended_) {
    exchange->leave();
  }
  const Status handled = caught([&] {
    shared_.rules->handler.handle(reader->take_request(), Responder(exchange));
    return ok_status();
  });
  if (!handled.ok()) {
    log_warning("the HTTP server's handler failed: {}", message(handled));
  }
}

void Connection::answer_now(const ExchangeFacts& facts, ServerResponse response) {
  exchanges_.push_back(std::make_shared<Exchange>(facts, sink_));
  exchanges_.back()->answer(std::move(response));
}

// What is under way is answered all the same, for clients that close their sending side first.
void Connection::on_input_end() {
  reader_ = nullptr;
  for (const std::shared_ptr<Exchange>& exchange : exchanges_) {
    exchange->leave();
    shared_.rules->counters.gone.add(exchange->is_answered() ? 0 : 1);
  }
  if (writes_nothing()) {
    close_now();
  }
}

void Connection::write_continue() {
  const bool is_wanted = reader_ != nullptr && reader_->wants_continue() && writes_nothing();
  if (!is_wanted || is_closed_ || is_ending_) {
    return;
  }
  reader_->told_to_continue();
  reading_ = {.since_ns = steady_clock().now_ns()};
  ends_after_answer_ = false;
  to_write_ = {asio::const_buffer(kContinue.data(), kContinue.size())};
  written_buffers_ = 0;
  writing_since_ns_ = reading_.since_ns;
  writing_pace_ = reading_;
  write();
}

void Connection::write_answers() {
  if (is_writing_ || is_closed_ || is_ending_) {
    return;
  }
  if (has_answer()) {
    return write_answer();
  }
  if (!exchanges_.empty()) {
    return;
  }
  if (has_input_ended_) {
    return close_now();
  }
  if (worker_.is_draining() && reader_ == nullptr) {
    return received_.unread().empty() ? close_now() : end_in_order();
  }
}

void Connection::write_answer() {
  const Exchange& exchange = *exchanges_.front();
  const bool is_last = exchanges_.size() == 1 && reader_ == nullptr;
  ends_after_answer_ = exchange.closes() || (is_last && worker_.is_draining());
  writing_ = exchanges_.front()->take_answer();
  if (ends_after_answer_) {
    writing_->head += "Connection: close\r\n";
  } else if (exchange.is_http_1_0()) {
    writing_->head += "Connection: keep-alive\r\n";
  }
  writing_->head += "\r\n";
  to_write_ = {asio::const_buffer(writing_->head.data(), writing_->head.size())};
  for (const BodyPiece& piece : writing_->body) {
    if (const Bytes bytes = bytes_of_piece(piece); !bytes.empty()) {
      to_write_.push_back(buffer_of(bytes));
    }
  }
  written_buffers_ = 0;
  writing_since_ns_ = steady_clock().now_ns();
  writing_pace_ = {.since_ns = writing_since_ns_};
  write();
}

void Connection::write() {
  is_writing_ = true;
  const asio::const_buffer* const first = to_write_.data() + written_buffers_;
  const size_t count = std::min(to_write_.size() - written_buffers_, kMostBuffers);
  with_stream([&](auto& stream) {
    stream.async_write_some(
        BufferRange{first, first + count},
        [self = shared_from_this()](const Error& error, size_t bytes) { self->on_written(error, bytes); });
  });
}

void Connection::on_written(const Error& error, size_t bytes) {
  is_writing_ = false;
  if (is_closed_) {
    return;
  }
  if (error) {
    return close_now();
  }
  shared_.rules->counters.sent_bytes.add(bytes);
  writing_pace_.bytes += bytes;
  while (written_buffers_ < to_write_.size() && bytes >= to_write_[written_buffers_].size()) {
    bytes -= to_write_[written_buffers_].size();
    ++written_buffers_;
  }
  if (written_buffers_ < to_write_.size()) {
    to_write_[written_buffers_] += bytes;
    return write();
  }
  to_write_.clear();
  idle_since_ns_ = steady_clock().now_ns();
  if (writing_) {
    writing_.reset();
    exchanges_.front()->forget_answer();
    exchanges_.pop_front();
    shared_.rules->counters.responses.add(1);
  }
  if (ends_after_answer_) {
    return end_in_order();
  }
  take_in();
  write_answers();
}

// A socket that is closed with unread bytes takes back what the client has not read: so its sending side is
// closed first, and what still comes is dropped until the client closes too.
void Connection::end_in_order() {
  if (has_input_ended_) {
    return close_now();
  }
  is_ending_ = true;
  ends_at_ns_ = steady_clock().now_ns() + shared_.timeouts.linger_ms * kMillisecond;
  reader_ = nullptr;
  received_.consume(received_.unread().size());
  if (auto* const secure = std::get_if<SecureSocket>(&stream_)) {
    secure->async_shutdown([self = shared_from_this()](const Error&) { self->close_now(); });
    return;
  }
  Error ignored;
  socket().shutdown(Socket::shutdown_send, ignored);
  read();
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

bool Connection::is_too_slow(Pace* pace, int64_t now_ns) const {
  const int64_t time_ms = shared_.timeouts.progress_ms;
  if (now_ns - pace->since_ns < time_ms * kMillisecond) {
    return false;
  }
  const uint64_t least = shared_.timeouts.least_bytes_per_s * static_cast<uint64_t>(time_ms) / 1000;
  const bool is_slow = pace->bytes < std::max<uint64_t>(least, 1);
  *pace = {.since_ns = now_ns};
  return is_slow;
}

void Connection::check(int64_t now_ns) {
  if (is_closed_) {
    return;
  }
  if (is_ending_) {
    return now_ns >= ends_at_ns_ ? close_now() : void();
  }
  if (is_writing_ && is_too_slow(&writing_pace_, now_ns)) {
    shared_.rules->counters.refused_slow.add(1);
    return close_now();
  }
  if (reader_ != nullptr) {
    return check_reading(now_ns);
  }
  if (writes_nothing() && now_ns - idle_since_ns_ >= idle_limit_ms_ * kMillisecond) {
    close_now();
  }
}

void Connection::check_reading(int64_t now_ns) {
  if (reader_->wants_continue()) {
    reading_ = {.since_ns = now_ns};  // it is us for whom the client waits
  }
  const bool is_late = reader_->has_head()
                           ? is_too_slow(&reading_, now_ns)
                           : now_ns - request_since_ns_ >= shared_.timeouts.header_ms * kMillisecond;
  if (is_late) {
    reader_->refuse(408, "the request came too slowly", &shared_.rules->counters.refused_slow);
    take_in();
  }
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
    shared_.rules->counters.gone.add(exchange->is_answered() || has_input_ended_ ? 0 : 1);
  }
  worker_.forget(this);
}

}  // namespace forebay::net
