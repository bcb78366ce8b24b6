#include "forebay/net/testing/scripted_server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "forebay/net/testing/listening_socket.h"

namespace forebay::net::testing {
namespace {

size_t body_bytes_of(const std::string& head) {
  constexpr std::string_view kName = "\r\nContent-Length: ";
  const size_t place = head.find(kName);
  return place == std::string::npos ? 0 : std::strtoull(head.c_str() + place + kName.size(), nullptr, 10);
}

}  // namespace

bool ScriptedConnection::read_more() {
  std::array<char, 4096> buffer;
  const ssize_t bytes = ::recv(socket_, buffer.data(), buffer.size(), 0);
  if (bytes <= 0) {
    return false;
  }
  received_.append(buffer.data(), static_cast<size_t>(bytes));
  return true;
}

std::string ScriptedConnection::read_request() {
  size_t head = std::string::npos;
  while ((head = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!read_more()) {
      return {};
    }
  }
  const size_t whole = head + 4 + body_bytes_of(received_.substr(0, head));
  while (received_.size() < whole) {
    if (!read_more()) {
      return {};
    }
  }
  std::string request = received_.substr(0, whole);
  received_.erase(0, whole);
  return request;
}

bool ScriptedConnection::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

void ScriptedConnection::wait_until_closed() const {
  std::array<char, 4096> buffer;
  while (::recv(socket_, buffer.data(), buffer.size(), 0) > 0) {
  }
}

void ScriptedConnection::reset() {
  const linger at_once = {1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

ScriptedServer::ScriptedServer(Script script) : script_(std::move(script)) {
  const ListeningSocket socket = listen_on_loopback();
  listening_ = socket.descriptor;
  port_ = socket.port;
  accepting_ = std::thread([this] { accept_all(); });
}

ScriptedServer::~ScriptedServer() {
  ::shutdown(listening_, SHUT_RDWR);
  accepting_.join();
  {
    const MutexLock lock(mutex_);
    for (const int socket : open_) {
      ::shutdown(socket, SHUT_RDWR);
    }
  }
  for (std::thread& thread : threads_) {
    thread.join();
  }
  ::close(listening_);
}

std::string ScriptedServer::url(const std::string& path) const {
  return fmt::format("http://{}:{}{}", kLoopback, port_, path);
}

void ScriptedServer::accept_all() {
  while (true) {
    const int socket = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0 && (errno == EMFILE || errno == ENFILE)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // a test lends this process no descriptor
      continue;
    }
    if (socket < 0) {
      return;
    }
    {
      const MutexLock lock(mutex_);
      open_.push_back(socket);
    }
    threads_.emplace_back([this, socket, number = connections_.fetch_add(1)] { serve(socket, number); });
  }
}

void ScriptedServer::serve(int socket, int number) {
  ScriptedConnection connection(socket);
  script_(connection, number);
  {
    const MutexLock lock(mutex_);
    std::erase(open_, socket);
  }
  ::close(socket);
}

}  // namespace forebay::net::testing
