// One connection of the server. Bytes go to the reader of the request that is being received; its answers are
// written in the order of the requests. For the sources of this folder that see Boost.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "forebay/net/server/exchange.h"
#include "forebay/net/server/io_worker.h"
#include "forebay/net/server/pace.h"
#include "forebay/net/server/read_buffer.h"
#include "forebay/net/server/request_reader.h"

namespace forebay::net {

using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
using SecureSocket = boost::asio::ssl::stream<Socket>;

/// Used on its worker's thread only.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(IoWorker& worker, FileDescriptor socket);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();
  /// Ends after what has begun to come is answered; at once if that is nothing.
  void drain();
  /// Cuts off a client that is too slow.
  void check(int64_t now_ns);
  void close_now();
  /// Goes on with answers that are there.
  void write_answers();
  /// Of answers that are there, and not taken by the client.
  uint64_t lying_bytes() const;
  /// Of those, what has lain for ServerTimeouts::taking_ms; nothing where the client takes its answers fast
  /// enough, at the last check().
  uint64_t overdue_bytes(int64_t now_ns) const;
  const std::string& peer() const { return peer_; }

 private:
  using Error = boost::system::error_code;
  class Sink;
  class WaitingRequest;

  Socket& socket();
  template <class Use>
  void with_stream(const Use& use) {
    if (auto* const secure = std::get_if<SecureSocket>(&stream_)) {
      use(*secure);
    } else {
      use(std::get<Socket>(stream_));
    }
  }

  void read();
  void on_read(const Error& error, size_t bytes, const std::shared_ptr<RequestReader>& direct);
  void on_input_end();
  void take_in();
  bool begins_another() const;
  void finish_request();
  void begin(RequestReader& reader, const std::shared_ptr<Exchange>& exchange);
  void answer_now(const ExchangeFacts& facts, ServerResponse response);

  bool has_answer() const { return !exchanges_.empty() && exchanges_.front()->is_answered(); }
  bool writes_nothing() const { return !is_writing_ && exchanges_.empty(); }
  void write_continue();
  void write_interim();
  void watch_for_death();
  void write_answer();
  void write();
  void on_written(const Error& error, size_t bytes);
  void end_in_order();
  std::optional<int64_t> oldest_answer_ns() const;
  uint64_t taken_bytes();
  bool is_too_slow(Pace* pace, int64_t now_ns, uint64_t all_bytes) const;
  void look_at_taking(int64_t now_ns);
  void check_reading(int64_t now_ns);

  IoWorker& worker_;
  ServerShared& shared_;
  std::variant<std::monostate, Socket, SecureSocket> stream_;
  std::shared_ptr<Sink> sink_;
  std::string peer_;

  ReadBuffer received_;
  std::shared_ptr<RequestReader> reader_;  // of a request that has begun to come
  std::deque<std::shared_ptr<Exchange>> exchanges_;

  std::optional<EncodedResponse> writing_;
  std::vector<boost::asio::const_buffer> to_write_;
  size_t written_buffers_ = 0;

  bool is_ready_ = false;  // TLS has been agreed upon
  bool is_reading_ = false;
  bool is_writing_ = false;
  bool has_written_all_ = true;     // that was there
  bool ends_after_answer_ = false;  // of the answer being written
  bool takes_no_more_ = false;      // requests
  bool has_input_ended_ = false;
  bool is_ending_ = false;  // waits for the client to take the last answer in
  bool is_closed_ = false;

  int64_t idle_since_ns_ = 0;
  int64_t request_since_ns_ = 0;
  int64_t ends_at_ns_ = 0;
  int64_t idle_limit_ms_ = 0;
  uint64_t received_bytes_ = 0;
  uint64_t written_bytes_ = 0;
  Pace reading_pace_;
  Pace writing_pace_;
  TakingPace taking_pace_;
};

}  // namespace forebay::net
