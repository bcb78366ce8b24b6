// Metrics over HTTP at a Unix socket: for collectors that read such sockets, and `curl --unix-socket`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "forebay/net/local/local_socket.h"

namespace forebay::cli {

/// The whole answer to a request's head: what `metrics` gives for GET of `/` and `/metrics`, else an error of
/// HTTP. Each answer is the last one of its connection.
std::string answer_to(std::string_view head, const std::function<std::string()>& metrics);

/// Serves one connection at a time, each for a few seconds at most, on a thread of its own.
class MetricsSocket {
 public:
  static constexpr size_t kMostHeadBytes = 8192;

  /// `metrics` is called by that thread. Errors: see net::listen_locally().
  static Result<std::unique_ptr<MetricsSocket>> open(const std::string& path,
                                                     std::function<std::string()> metrics);
  /// Waits for the thread, which answers nobody any more.
  ~MetricsSocket();

 private:
  MetricsSocket(net::LocalListener listener, FileDescriptor end, std::function<std::string()> metrics);

  void serve();
  void answer(const FileDescriptor& connection) const;

  const net::LocalListener listener_;
  const FileDescriptor end_;  // an eventfd: can be read once the thread is to end
  const std::function<std::string()> metrics_;
  std::thread thread_;
};

}  // namespace forebay::cli
