// Which requests wait for a connection to their host, and who is next: demand before prefetch, each in order.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>

namespace forebay::net {

class HttpTransfer;

/// Borrows the transfers. Thread compatible.
class HostQueues {
 public:
  explicit HostQueues(size_t connections_per_host) : connections_per_host_(connections_per_host) {}

  void add(HttpTransfer* transfer, const std::string& origin, bool is_prefetch);
  /// Takes the next transfer that may begin at `origin`, and counts it as begun; null if there is none.
  HttpTransfer* begin_next(const std::string& origin);
  /// A transfer that had begun is over.
  void end(const std::string& origin);
  /// Takes a waiting transfer out; false if it does not wait.
  bool remove(HttpTransfer* transfer, const std::string& origin);

 private:
  struct Host {
    size_t begun = 0;
    std::deque<HttpTransfer*> demand;
    std::deque<HttpTransfer*> prefetch;
  };

  void forget_if_idle(const std::string& origin);

  const size_t connections_per_host_;
  std::map<std::string, Host> hosts_;
};

}  // namespace forebay::net
