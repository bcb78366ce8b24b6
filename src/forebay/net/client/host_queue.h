// Which requests wait for a connection to their host, and who is next: the most urgent, in order. Bulk work
// leaves a quarter of the connections to others, so that nobody waits for the end of what a slow server owes
// it.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <string>

#include "forebay/net/http_message.h"

namespace forebay::net {

class HttpTransfer;

/// Borrows the transfers. Thread compatible.
class HostQueues {
 public:
  explicit HostQueues(size_t connections_per_host) : connections_per_host_(connections_per_host) {}

  void add(HttpTransfer* transfer, const std::string& origin, Urgency urgency);
  /// Takes the next transfer that may begin at `origin`, and counts it as begun; null if there is none.
  HttpTransfer* begin_next(const std::string& origin);
  /// A transfer of this urgency that had begun is over.
  void end(const std::string& origin, Urgency urgency);
  /// Takes a waiting transfer out; false if it does not wait.
  bool remove(HttpTransfer* transfer, const std::string& origin);

 private:
  struct Host {
    std::array<size_t, kUrgencies> begun = {};
    std::array<std::deque<HttpTransfer*>, kUrgencies> waiting;
  };

  bool has_room(const Host& host, size_t urgency) const;
  void forget_if_idle(const std::string& origin);

  const size_t connections_per_host_;
  std::map<std::string, Host> hosts_;
};

}  // namespace forebay::net
