// A connection's answers on their way to the socket, and the end of the connection after the last.
#include <algorithm>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/units.h"
#include "forebay/net/server/connection.h"

namespace forebay::net {
namespace {

namespace asio = boost::asio;

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr size_t kMaxBuffers = 64;  // of one call of the system

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

void Connection::write_continue() {
  const bool is_wanted = reader_ != nullptr && reader_->wants_continue() && writes_nothing();
  if (!is_wanted || is_closed_ || is_ending_) {
    return;
  }
  reader_->told_to_continue();
  reading_pace_.begin(steady_clock().now_ns(), received_bytes_);
  write_interim();
}

void Connection::write_interim() {
  ends_after_answer_ = false;
  to_write_ = {asio::const_buffer(kContinue.data(), kContinue.size())};
  written_buffers_ = 0;
  writing_pace_.begin_with_next_look();
  write();
}

// A client that has closed its sending side may wait for its answers, or be gone altogether: then whatever is
// sent to it comes back as an error. Where no answer is there to be sent, an interim one is, which every
// client of HTTP/1.1 has to skip (RFC 9110, 15.2).
void Connection::watch_for_death() {
  socket().async_wait(Socket::wait_error, [self = shared_from_this()](const Error& error) {
    if (!error) {
      self->close_now();
    }
  });
  if (!is_writing_ && !has_answer() && !exchanges_.front()->is_http_1_0()) {
    write_interim();
  }
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
  writing_pace_.begin_with_next_look();
  if (std::exchange(has_written_all_, false)) {
    taking_pace_.begin();  // others may have lain behind this one, where nobody could take them
  }
  write();
}

void Connection::write() {
  is_writing_ = true;
  const asio::const_buffer* const first = to_write_.data() + written_buffers_;
  const size_t count = std::min(to_write_.size() - written_buffers_, kMaxBuffers);
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
  written_bytes_ += bytes;
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
  has_written_all_ = has_written_all_ || !is_writing_;
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

}  // namespace forebay::net
