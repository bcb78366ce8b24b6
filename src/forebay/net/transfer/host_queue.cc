#include "forebay/net/transfer/host_queue.h"

namespace forebay::net {

void HostQueues::add(HttpTransfer* transfer, const std::string& origin, bool is_prefetch) {
  Host& host = hosts_[origin];
  (is_prefetch ? host.prefetch : host.demand).push_back(transfer);
}

HttpTransfer* HostQueues::begin_next(const std::string& origin) {
  const auto found = hosts_.find(origin);
  if (found == hosts_.end() || found->second.begun >= connections_per_host_) {
    return nullptr;
  }
  Host& host = found->second;
  std::deque<HttpTransfer*>& queue = host.demand.empty() ? host.prefetch : host.demand;
  if (queue.empty()) {
    return nullptr;
  }
  HttpTransfer* const next = queue.front();
  queue.pop_front();
  ++host.begun;
  return next;
}

void HostQueues::end(const std::string& origin) {
  --hosts_[origin].begun;
  forget_if_idle(origin);
}

bool HostQueues::remove(HttpTransfer* transfer, const std::string& origin) {
  const auto found = hosts_.find(origin);
  if (found == hosts_.end()) {
    return false;
  }
  const bool removed =
      std::erase(found->second.demand, transfer) + std::erase(found->second.prefetch, transfer) > 0;
  forget_if_idle(origin);
  return removed;
}

void HostQueues::forget_if_idle(const std::string& origin) {
  const auto found = hosts_.find(origin);
  if (found != hosts_.end() && found->second.begun == 0 && found->second.demand.empty() &&
      found->second.prefetch.empty()) {
    hosts_.erase(found);
  }
}

}  // namespace forebay::net
