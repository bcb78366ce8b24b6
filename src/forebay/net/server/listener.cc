#include "forebay/net/server/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace forebay::net {
namespace {

constexpr int kPortAttempts = 16;  // to find one that is free for IPv4 and IPv6

union SocketAddress {
  sockaddr general;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

socklen_t bytes_of_address(const SocketAddress& address) {
  return address.general.sa_family == AF_INET6 ? sizeof(address.v6) : sizeof(address.v4);
}

uint16_t port_of(const SocketAddress& address) {
  return ntohs(address.general.sa_family == AF_INET6 ? address.v6.sin6_port : address.v4.sin_port);
}

bool parse_address(const std::string& text, SocketAddress* address) {
  *address = {};
  if (inet_pton(AF_INET, text.c_str(), &address->v4.sin_addr) == 1) {
    address->v4.sin_family = AF_INET;
    return true;
  }
  *address = {};
  if (inet_pton(AF_INET6, text.c_str(), &address->v6.sin6_addr) == 1) {
    address->v6.sin6_family = AF_INET6;
    return true;
  }
  return false;
}

/// `takes_both`: an IPv6 socket takes IPv4 too.
Result<FileDescriptor> listen_on(const std::string& text, uint16_t port, bool takes_both) {
  SocketAddress address;
  if (!parse_address(text, &address)) {
    return invalid_argument("\"{}\" is no address to listen at: give \"localhost\", \"*\", or one in numbers",
                            text);
  }
  (address.general.sa_family == AF_INET6 ? address.v6.sin6_port : address.v4.sin_port) = htons(port);
  FileDescriptor made(socket(address.general.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  const int only_v6 = takes_both ? 0 : 1;
  const bool is_v6 = address.general.sa_family == AF_INET6;
  if (!made.is_valid() || setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
      (is_v6 && setsockopt(made.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only_v6, sizeof(only_v6)) != 0) ||
      bind(made.get(), &address.general, bytes_of_address(address)) != 0 ||
      listen(made.get(), SOMAXCONN) != 0) {
    const int error = errno;
    if (error == EADDRINUSE) {
      return already_exists("port {} at {} is taken: another program listens there", port, text);
    }
    return errno_status(error, fmt::format("listening at {}, port {}", text, port));
  }
  return made;
}

Result<uint16_t> port_of_socket(int socket) {
  SocketAddress address{};
  socklen_t bytes = sizeof(address);
  if (getsockname(socket, &address.general, &bytes) != 0) {
    return errno_status(errno, "the port of a listening socket");
  }
  return port_of(address);
}

bool has_no_ipv6(const Status& status) {
  return !status.ok() && status.code() != StatusCode::kAlreadyExists;
}

Result<Listeners> listen_on_loopbacks(uint16_t port) {
  Listeners made;
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor v4, listen_on("127.0.0.1", port, false));
  FOREBAY_ASSIGN_OR_RETURN(made.port, port_of_socket(v4.get()));
  made.sockets.push_back(std::move(v4));
  Result<FileDescriptor> v6 = listen_on("::1", made.port, false);
  if (v6.ok()) {
    made.sockets.push_back(*std::move(v6));
  } else if (!has_no_ipv6(v6.status())) {
    return v6.status();
  }
  return made;
}

Result<Listeners> listen_on_one(const std::string& address, uint16_t port) {
  Result<FileDescriptor> socket = listen_on(address == "*" ? "::" : address, port, address == "*");
  if (address == "*" && has_no_ipv6(socket.status())) {
    socket = listen_on("0.0.0.0", port, false);
  }
  FOREBAY_RETURN_IF_ERROR(socket.status());
  Listeners made;
  FOREBAY_ASSIGN_OR_RETURN(made.port, port_of_socket(socket->get()));
  made.sockets.push_back(*std::move(socket));
  return made;
}

}  // namespace

bool is_loopback(const std::string& address) {
  SocketAddress parsed;
  if (!parse_address(address, &parsed)) {
    return address == "localhost";
  }
  if (parsed.general.sa_family == AF_INET6) {
    return IN6_IS_ADDR_LOOPBACK(&parsed.v6.sin6_addr);
  }
  return ntohl(parsed.v4.sin_addr.s_addr) >> 24 == 127;
}

Result<Listeners> listen_at(const std::string& address, uint16_t port) {
  if (address != "localhost") {
    return listen_on_one(address, port);
  }
  Result<Listeners> made = listen_on_loopbacks(port);
  for (int i = 1; i < kPortAttempts && port == 0 && made.status().code() == StatusCode::kAlreadyExists; ++i) {
    made = listen_on_loopbacks(port);
  }
  return made;
}

Result<Listeners> listen_at_path(const std::string& path, LocalListener* local) {
  FOREBAY_ASSIGN_OR_RETURN(*local, listen_locally(path, LocalKind::kBytes));
  FileDescriptor accepting(fcntl(local->socket(), F_DUPFD_CLOEXEC, 0));
  if (!accepting.is_valid()) {
    return errno_status(errno, path);
  }
  Listeners made;
  made.sockets.push_back(std::move(accepting));
  return made;
}

Result<FileDescriptor> accept_from(int listening) {
  FileDescriptor socket(accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket.is_valid()) {
    const int yes = 1;  // answers go out at once
    setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    return socket;
  }
  const int error = errno;
  if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM) {
    return resource_exhausted("accepting a connection: errno {}", error);
  }
  return unavailable("no connection has come in");  // or it ended before it was accepted
}

std::string peer_name(int socket) {
  SocketAddress address{};
  socklen_t bytes = sizeof(address);
  if (getpeername(socket, &address.general, &bytes) != 0) {
    return "unknown";
  }
  if (address.general.sa_family == AF_UNIX) {
    return "this host";
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.general.sa_family == AF_INET6) {
    inet_ntop(AF_INET6, &address.v6.sin6_addr, text.data(), text.size());
    return fmt::format("[{}]:{}", text.data(), port_of(address));
  }
  inet_ntop(AF_INET, &address.v4.sin_addr, text.data(), text.size());
  return fmt::format("{}:{}", text.data(), port_of(address));
}

void shut_down(FileDescriptor socket) {
  if (socket.is_valid()) {
    shutdown(socket.get(), SHUT_RDWR);
  }
}

}  // namespace forebay::net
