// Listening sockets, and the connections that come in by them. Made by hand, since Asio's are inherited by
// programs that this process starts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"
#include "forebay/net/local/local_socket.h"

namespace forebay::net {

/// Whether only this host can reach the address: "localhost", 127.0.0.0/8, ::1.
bool is_loopback(const std::string& address);

struct Listeners {
  std::vector<FileDescriptor> sockets;  // do not block
  uint16_t port = 0;
};

/// As ServerOptions::address and port say. Errors as HttpServer::start().
Result<Listeners> listen_at(const std::string& address, uint16_t port);

/// Listens at a Unix socket as listen_locally() says, for as long as `local` lives.
Result<Listeners> listen_at_path(const std::string& path, LocalListener* local);

/// A connection that has come in; unavailable if there is none, resource_exhausted if no descriptor or memory
/// is free; its socket does not block.
Result<FileDescriptor> accept_from(int listening);

/// "127.0.0.1:40000", "[::1]:40000"; "this host" at a Unix socket.
std::string peer_name(int socket);

/// Ends both directions, which the other side sees even if a forked child still has the socket, and closes.
void shut_down(FileDescriptor socket);

}  // namespace forebay::net
