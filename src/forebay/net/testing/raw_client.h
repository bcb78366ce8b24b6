// A client that sends what a test says, byte by byte, and reads answers one at a time.
#pragma once

#include <string>
#include <string_view>

#include "forebay/base/file_descriptor.h"

namespace forebay::net::testing {

struct RawAnswer {
  int status = 0;    // 0: the server closed the connection instead
  std::string head;  // with the line of the status, without the empty line
  std::string body;
};

/// One thread. What takes longer than a minute fails, as if the server had closed.
class RawClient {
 public:
  /// Connects to 127.0.0.1. Aborts if nobody listens there.
  explicit RawClient(int port);

  /// False once the server has closed the connection, or takes nothing.
  bool send(std::string_view bytes);
  /// The next answer, with a body as long as its Content-Length says; `has_body` false: to HEAD.
  RawAnswer read_answer(bool has_body = true);
  /// Whether the server closes the connection; what comes before that is in rest().
  bool is_closed();
  const std::string& rest() const { return received_; }
  /// Nothing more is sent; answers can still come.
  void end_sending();
  /// Ends the connection, by a reset, or in order.
  void reset();
  void close() { socket_ = FileDescriptor(); }
  int descriptor() const { return socket_.get(); }

 private:
  bool read_more();
  bool wait_for(short events) const;

  FileDescriptor socket_;
  std::string received_;
};

/// "GET PATH" with a Host; `more` are whole lines, each with its line break.
std::string get_request(std::string_view path, std::string_view more = {});
std::string post_request(std::string_view path, std::string_view body, std::string_view more = {});

}  // namespace forebay::net::testing
