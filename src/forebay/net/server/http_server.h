// An HTTP/1.1 server. Connections are spread over a few threads, each of which drives its own; handlers
// answer from any thread. It knows nothing of what it serves.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "forebay/base/budget/budget.h"
#include "forebay/net/server/server_request.h"

namespace forebay::net {

struct ServerLimits {
  size_t connections = 4096;            // over all threads; one more is answered 503 and closed
  size_t requests_per_connection = 16;  // under way at once; what is pipelined beyond them is not read yet
  size_t header_bytes = 32 << 10;       // first line and fields of a request together: 431
  size_t header_fields = 100;           // 431
  uint64_t body_bytes = 64 << 20;       // of one request, as it comes and decoded: 413
  uint64_t bodies_bytes = 1 << 30;      // of all requests, unless ServerOptions::bodies is given: 503
  // Of answers that clients have not taken yet: on one connection, whose next requests are then not read, and
  // of all; beyond that no connection with such answers has its next requests read, and of those that take
  // theirs too slowly (ServerTimeouts::taking_ms) who holds most is dropped. Requests whose answers' length
  // is known before (Admission::answer_kind) wait until those fit the limit of all. An answer that would make
  // twice that limit, beside others, is not kept: it is answered 503 instead.
  uint64_t lying_bytes_per_connection = 64 << 20;
  uint64_t lying_bytes = 1 << 30;
  uint64_t discarded_bytes = 1 << 20;  // of a body that is not wanted; more ends the connection
};

/// A client that is slower is answered 408, or just cut off where an answer makes no sense.
struct ServerTimeouts {
  int64_t header_ms = 10'000;    // from a request's first byte to the end of its header; TLS handshake too
  int64_t idle_ms = 75'000;      // of a connection between requests
  int64_t progress_ms = 30'000;  // in which bodies and answers must get on by `least_bytes_per_s`
  uint64_t least_bytes_per_s = 500;
  int64_t taking_ms = 1'000;  // in which answers must get on by this while too many bytes of them lie here
  uint64_t least_taken_bytes_per_s = 256 << 10;
  int64_t room_ms = 30'000;         // in which a request waits for room for its answer
  int64_t first_answer_ms = 1'000;  // and for the first of its kind, while many of them are under way
  int64_t linger_ms = 2'000;        // for the client to take the last answer in before a connection is closed
};

/// PEM files; both or neither. TLS 1.2 and later.
struct ServerCertificate {
  std::string chain_file;  // the server's certificate first
  std::string key_file;
};

struct ServerOptions {
  /// "localhost": both loopback addresses, as far as the host has them; "*": every address, IPv4 and IPv6; or
  /// one address in numbers.
  std::string address = "localhost";
  uint16_t port = 0;  // 0: one that is free
  /// The path of a Unix socket, to which only this user may connect, instead of an address and a port.
  std::string unix_socket;
  /// Other addresses than loopback demand a token and a certificate, unless this says that the network is
  /// trusted.
  bool allow_open = false;
  ServerCertificate certificate;
  std::string bearer_token;                      // empty: none is asked for; never logged
  std::vector<std::string> paths_without_token;  // as for probes of health
  size_t io_threads = 1;
  ServerLimits limits;
  ServerTimeouts timeouts;
  std::shared_ptr<Budget> bodies;  // what bodies of requests are counted against
  std::string thread_name = "http server";
};

class ServerCore;

/// Thread safe. In a forked child it must not be used; destroying it there does nothing.
class HttpServer {
 public:
  /// Listens when it returns. invalid_argument for options that make no sense or are not safe; already_exists
  /// where the port or the Unix socket is taken; resource_exhausted without descriptors or threads;
  /// not_found, permission_denied, data_loss for certificates.
  static Result<std::unique_ptr<HttpServer>> start(ServerOptions options, HttpHandler handler);

  /// Cuts off what is under way. Waits for handlers that are running, so never destroy it in one.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// 0 at a Unix socket.
  uint16_t port() const;
  /// "http://ADDRESS:PORT", or https, with the address that was asked for; "unix:PATH".
  std::string url() const;

  /// Accepts no more connections and no more requests, answers those that have begun to come with
  /// "Connection: close", and returns when all connections are closed, or cuts them off at `deadline_ns`
  /// (steady_clock()). Returns whether all were answered. Not to be called in a handler; later calls wait
  /// too.
  bool stop(int64_t deadline_ns);

  size_t connections() const;

 private:
  explicit HttpServer(std::unique_ptr<ServerCore> core);
  std::unique_ptr<ServerCore> core_;
};

}  // namespace forebay::net
