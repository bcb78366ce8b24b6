#include "forebay/net/client/host_queue.h"

#include <algorithm>
#include <numeric>

namespace forebay::net {
namespace {

constexpr auto kBulk = static_cast<size_t>(Urgency::kBulk);

}  // namespace

void HostQueues::add(HttpTransfer* transfer, const std::string& origin, Urgency urgency) {
  hosts_[origin].waiting[static_cast<size_t>(urgency)].push_back(transfer);
}

HttpTransfer* HostQueues::begin_next(const std::string& origin) {
  const auto found = hosts_.find(origin);
  if (found == hosts_.end()) {
    return nullptr;
  }
  Host& host = found->second;
  for (size_t urgency = 0; urgency < kUrgencies && has_room(host, urgency); ++urgency) {
    std::deque<HttpTransfer*>& queue = host.waiting[urgency];
    if (!queue.empty()) {
      HttpTransfer* const next = queue.front();
      queue.pop_front();
      ++host.begun[urgency];
      return next;
    }
  }
  return nullptr;
}

// A single connection is everybody's.
bool HostQueues::has_room(const Host& host, size_t urgency) const {
  const size_t begun = std::accumulate(host.begun.begin(), host.begun.end(), size_t{0});
  const size_t kept_from_bulk =
      std::min(std::max<size_t>(connections_per_host_ / 4, 1), connections_per_host_ - 1);
  return begun < connections_per_host_ &&
         (urgency != kBulk || host.begun[kBulk] < connections_per_host_ - kept_from_bulk);
}

void HostQueues::end(const std::string& origin, Urgency urgency) {
  --hosts_[origin].begun[static_cast<size_t>(urgency)];
  forget_if_idle(origin);
}

bool HostQueues::remove(HttpTransfer* transfer, const std::string& origin) {
  const auto found = hosts_.find(origin);
  if (found == hosts_.end()) {
    return false;
  }
  size_t removed = 0;
  for (std::deque<HttpTransfer*>& queue : found->second.waiting) {
    removed += std::erase(queue, transfer);
  }
  forget_if_idle(origin);
  return removed > 0;
}

void HostQueues::forget_if_idle(const std::string& origin) {
  const auto found = hosts_.find(origin);
  if (found == hosts_.end()) {
    return;
  }
  const Host& host = found->second;
  if (std::ranges::all_of(host.begun, [](size_t begun) { return begun == 0; }) &&
      std::ranges::all_of(host.waiting, [](const auto& queue) { return queue.empty(); })) {
    hosts_.erase(found);
  }
}

}  // namespace forebay::net
