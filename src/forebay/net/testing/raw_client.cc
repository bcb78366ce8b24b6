#include "forebay/net/testing/raw_client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "forebay/base/check.h"
#include "forebay/net/testing/listening_socket.h"

namespace forebay::net::testing {
namespace {

constexpr int kPatience_ms = 60'000;

size_t content_length_of(const std::string& head) {
  constexpr std::string_view kField = "\r\ncontent-length: ";
  const std::string lower = absl::AsciiStrToLower(head);
  const size_t place = lower.find(kField);
  return place == std::string::npos ? 0 : std::strtoull(lower.c_str() + place + kField.size(), nullptr, 10);
}

}  // namespace

RawClient::RawClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  FOREBAY_CHECK(socket_.is_valid());
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  FOREBAY_CHECK(::inet_pton(AF_INET, kLoopback, &address.sin_addr) == 1);
  FOREBAY_CHECK(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
}

bool RawClient::wait_for(short events) const {
  pollfd wanted = {socket_.get(), events, 0};
  return ::poll(&wanted, 1, kPatience_ms) > 0;
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!wait_for(POLLOUT)) {
      return false;
    }
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN) {
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(std::max<ssize_t>(sent, 0)));
  }
  return true;
}

bool RawClient::read_more() {
  std::array<char, 65536> buffer;
  if (!wait_for(POLLIN)) {
    return false;
  }
  const ssize_t bytes = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
  if (bytes <= 0) {
    return false;
  }
  received_.append(buffer.data(), static_cast<size_t>(bytes));
  return true;
}

RawAnswer RawClient::read_answer(bool has_body) {
  RawAnswer answer;
  size_t end = std::string::npos;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!read_more()) {
      return {};
    }
  }
  answer.head = received_.substr(0, end);
  answer.status = std::atoi(answer.head.c_str() + std::string_view("HTTP/1.1 ").size());
  const size_t whole = end + 4 + (has_body ? content_length_of(answer.head) : 0);
  while (received_.size() < whole) {
    if (!read_more()) {
      return {};
    }
  }
  answer.body = received_.substr(end + 4, whole - end - 4);
  received_.erase(0, whole);
  return answer;
}

bool RawClient::is_closed() {
  while (wait_for(POLLIN)) {
    if (!read_more()) {
      return true;
    }
  }
  return false;
}

void RawClient::end_sending() {
  ::shutdown(socket_.get(), SHUT_WR);
}

void RawClient::reset() {
  const linger at_once = {1, 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  close();
}

std::string get_request(std::string_view path, std::string_view more) {
  return fmt::format("GET {} HTTP/1.1\r\nHost: test\r\n{}\r\n", path, more);
}

std::string post_request(std::string_view path, std::string_view body, std::string_view more) {
  return fmt::format("POST {} HTTP/1.1\r\nHost: test\r\nContent-Length: {}\r\n{}\r\n{}", path, body.size(),
                     more, body);
}

}  // namespace forebay::net::testing
