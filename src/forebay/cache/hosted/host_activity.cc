#include "forebay/cache/hosted/host_activity.h"

#include <algorithm>
#include <utility>

namespace forebay::cache {

void HostActivities::add(std::weak_ptr<const ActivitySource> source) {
  const MutexLock lock(mutex_);
  std::erase_if(sources_, [](const auto& each) { return each.expired(); });
  sources_.push_back(std::move(source));
}

std::vector<HostActivity> HostActivities::list(int64_t now_ns) const {
  std::vector<std::shared_ptr<const ActivitySource>> alive;
  {
    const MutexLock lock(mutex_);
    for (const auto& source : sources_) {
      if (std::shared_ptr<const ActivitySource> each = source.lock()) {
        alive.push_back(std::move(each));
      }
    }
  }
  std::vector<HostActivity> all;
  for (const auto& source : alive) {
    all.push_back(source->activity(now_ns));
  }
  std::ranges::stable_sort(all, [](const HostActivity& a, const HostActivity& b) {
    return a.longest_wait_ns != b.longest_wait_ns ? a.longest_wait_ns > b.longest_wait_ns
                                                  : a.read_bytes > b.read_bytes;
  });
  return all;
}

}  // namespace forebay::cache
