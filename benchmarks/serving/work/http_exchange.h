// One connection of the load: a request that lies ready goes out, and the answer's end is found by its
// length.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace load {

/// A socket to 127.0.0.1 that does not block once it is connected.
inline int connected(uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    throw std::runtime_error("cannot connect to port " + std::to_string(port));
  }
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  ::fcntl(socket, F_SETFL, O_NONBLOCK);
  return socket;
}

/// Not thread-safe. A server may close a connection that was idle for a while: then the request goes out once
/// more over a new one. One that closes again ends the load, by an exception.
class HttpExchange {
 public:
  explicit HttpExchange(uint16_t port) : port_(port), socket_(connected(port)) {}
  ~HttpExchange() { ::close(socket_); }
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  int socket() const { return socket_; }
  /// Counts the connections.
  int generation() const { return generation_; }
  bool is_idle() const { return is_idle_; }
  int64_t due_ns() const { return due_ns_; }
  bool is_writing() const { return !left_.empty(); }

  /// `request` stays valid until the answer has come.
  void begin(std::string_view request, int64_t due_ns) {
    request_ = request;
    left_ = request;
    due_ns_ = due_ns;
    is_idle_ = false;
    is_second_try_ = false;
    answer_.clear();
    write();
  }

  void write() {
    while (!left_.empty()) {
      const ssize_t sent = ::send(socket_, left_.data(), left_.size(), MSG_NOSIGNAL);
      if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
      }
      if (sent < 0) {
        return begin_again();
      }
      left_.remove_prefix(static_cast<size_t>(sent));
    }
  }

  /// True once the answer is whole.
  bool read() {
    char part[65536];
    const ssize_t got = ::recv(socket_, part, sizeof(part), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      return false;
    }
    if (got <= 0) {
      begin_again();
      return false;
    }
    answer_.append(part, static_cast<size_t>(got));
    is_idle_ = is_whole();
    return is_idle_;
  }

  /// In the place of a connection that the server has closed.
  void connect_again() {
    ::close(socket_);
    socket_ = connected(port_);
    ++generation_;
  }

  bool is_ok() const { return answer_.compare(8, 5, " 200 ") == 0; }
  std::string_view answer() const { return answer_; }
  std::string_view body() const { return std::string_view(answer_).substr(answer_.find("\r\n\r\n") + 4); }

 private:
  void begin_again() {
    if (is_second_try_ || !answer_.empty()) {
      throw std::runtime_error("the server has closed a connection");
    }
    is_second_try_ = true;
    connect_again();
    left_ = request_;
    write();
  }

  bool is_whole() const {
    const size_t end = answer_.find("\r\n\r\n");
    return end != std::string::npos && answer_.size() >= end + 4 + length_in(answer_.substr(0, end));
  }

  static size_t length_in(const std::string& head) {
    static constexpr std::string_view kName = "\r\ncontent-length:";
    for (size_t at = 0; at + kName.size() < head.size(); ++at) {
      if (::strncasecmp(head.data() + at, kName.data(), kName.size()) == 0) {
        const size_t first = head.find_first_not_of(' ', at + kName.size());
        size_t length = 0;
        std::from_chars(head.data() + first, head.data() + head.size(), length);
        return length;
      }
    }
    throw std::runtime_error("an answer without Content-Length: " + head);
  }

  const uint16_t port_;
  int socket_;
  int generation_ = 1;
  std::string_view request_;
  std::string_view left_;  // of the request
  std::string answer_;
  int64_t due_ns_ = 0;
  bool is_idle_ = true;
  bool is_second_try_ = false;
};

}  // namespace load
