#include "forebay/cli/caching/metrics_socket.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/system_error.h"

namespace forebay::cli {
namespace {

constexpr int64_t kNsPerMillisecond = 1'000'000;
constexpr int64_t kPatienceNs = 3'000 * kNsPerMillisecond;
constexpr int kAfterRefusalMs = 100;
constexpr std::string_view kEndOfHead = "\r\n\r\n";

std::string answer_of(std::string_view status, std::string_view body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\n"
      "Connection: close\r\n\r\n{}",
      status, body.size(), body);
}

/// Whether something can be done with a socket before the time is over.
bool is_ready(const FileDescriptor& connection, short event, int64_t end_ns) {
  const int64_t left_ms = (end_ns - steady_clock().now_ns()) / kNsPerMillisecond;
  pollfd look = {.fd = connection.get(), .events = event, .revents = 0};
  return left_ms > 0 && ::poll(&look, 1, static_cast<int>(left_ms)) == 1;
}

/// What came of a head: all of it, or as much as there was.
std::string read_head(const FileDescriptor& connection, int64_t end_ns) {
  std::string head;
  std::array<char, 1024> part{};
  while (head.size() < MetricsSocket::kMostHeadBytes && head.find(kEndOfHead) == std::string::npos &&
         is_ready(connection, POLLIN, end_ns)) {
    const ssize_t got = ::recv(connection.get(), part.data(), part.size(), 0);
    if (got <= 0) {
      break;
    }
    head.append(part.data(), static_cast<size_t>(got));
  }
  return head;
}

void write_all(const FileDescriptor& connection, std::string_view text, int64_t end_ns) {
  while (!text.empty() && is_ready(connection, POLLOUT, end_ns)) {
    const ssize_t sent = ::send(connection.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0) {
      return;
    }
    text.remove_prefix(static_cast<size_t>(sent));
  }
}

}  // namespace

std::string answer_to(std::string_view head, const std::function<std::string()>& metrics) {
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const size_t method_end = line.find(' ');
  const size_t target_end = line.rfind(' ');
  const bool is_whole = head.find(kEndOfHead) != std::string_view::npos && method_end < target_end &&
                        line.substr(target_end + 1).starts_with("HTTP/1.");
  if (!is_whole) {
    return answer_of("400 Bad Request", "not a request of HTTP/1.1\n");
  }
  if (line.substr(0, method_end) != "GET") {
    return answer_of("405 Method Not Allowed", "metrics can only be read\n");
  }
  const std::string_view target = line.substr(method_end + 1, target_end - method_end - 1);
  if (target != "/" && target != "/metrics") {
    return answer_of("404 Not Found", "metrics are at /metrics\n");
  }
  return answer_of("200 OK", metrics());
}

Result<std::unique_ptr<MetricsSocket>> MetricsSocket::open(const std::string& path,
                                                           std::function<std::string()> metrics) {
  FOREBAY_ASSIGN_OR_RETURN(net::LocalListener listener, net::listen_locally(path, net::LocalKind::kBytes));
  FileDescriptor end(::eventfd(0, EFD_CLOEXEC));
  if (!end.is_valid()) {
    return errno_status(errno, path);
  }
  return std::unique_ptr<MetricsSocket>(
      new MetricsSocket(std::move(listener), std::move(end), std::move(metrics)));
}

MetricsSocket::MetricsSocket(net::LocalListener listener, FileDescriptor end,
                             std::function<std::string()> metrics)
    : listener_(std::move(listener)),
      end_(std::move(end)),
      metrics_(std::move(metrics)),
      thread_([this] { serve(); }) {
}

MetricsSocket::~MetricsSocket() {
  ::eventfd_write(end_.get(), 1);
  thread_.join();
}

void MetricsSocket::serve() {
  std::array<pollfd, 2> looks = {pollfd{.fd = listener_.socket(), .events = POLLIN, .revents = 0},
                                 pollfd{.fd = end_.get(), .events = POLLIN, .revents = 0}};
  while (::poll(looks.data(), looks.size(), -1) > 0 || errno == EINTR) {
    if (looks[1].revents != 0) {
      return;
    }
    const Result<FileDescriptor> connection = net::accept_locally(listener_.socket());
    if (connection.ok()) {
      answer(*connection);
    } else {
      ::poll(&looks[1], 1, kAfterRefusalMs);  // there may be no descriptor left
    }
  }
}

void MetricsSocket::answer(const FileDescriptor& connection) const {
  const int64_t end_ns = steady_clock().now_ns() + kPatienceNs;
  write_all(connection, answer_to(read_head(connection, end_ns), metrics_), end_ns);
  ::shutdown(connection.get(), SHUT_WR);
}

}  // namespace forebay::cli
