// Metrics over HTTP at a Unix socket: for collectors that read such sockets, and `curl --unix-socket`.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "forebay/net/server/http_server.h"

namespace forebay::cli {

/// Answers GET of `/` and `/metrics`. Not usable in a forked child, which may destroy it.
class MetricsServer {
 public:
  using Metrics = std::function<std::string(const std::stop_token& stop)>;

  /// `metrics` is called on the server's one thread, and returns soon once it is to stop. Errors: see
  /// net::listen_locally().
  static Result<std::unique_ptr<MetricsServer>> start(const std::string& path, Metrics metrics);
  /// Cuts off what is under way. Leaves everything to the parent in a forked child.
  ~MetricsServer();

 private:
  const pid_t owner_ = ::getpid();
  std::stop_source end_;
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace forebay::cli
