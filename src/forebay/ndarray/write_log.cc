#include "forebay/ndarray/write_log.h"

#include <algorithm>
#include <iterator>

namespace forebay::ndarray {

void WriteLog::note(size_t begin, size_t end, uint64_t write) {
  if (begin >= end) {
    return;
  }
  const MutexLock lock(mutex_);
  cut_at(begin);
  cut_at(end);
  stretches_.erase(stretches_.lower_bound(begin), stretches_.lower_bound(end));
  stretches_.emplace(begin, Stretch{end, write});
  if (stretches_.size() > kMostStretches) {
    join_all();
  }
}

uint64_t WriteLog::last_write(size_t begin, size_t end) const {
  const MutexLock lock(mutex_);
  uint64_t last = 0;
  auto stretch = stretches_.lower_bound(end);
  while (stretch != stretches_.begin()) {
    --stretch;
    if (stretch->second.end <= begin) {
      break;
    }
    last = std::max(last, stretch->second.write);
  }
  return last;
}

/// Makes two of the stretch that `place` lies within.
void WriteLog::cut_at(size_t place) {
  const auto behind = stretches_.lower_bound(place);
  if (behind == stretches_.begin()) {
    return;
  }
  Stretch& before = std::prev(behind)->second;
  if (before.end > place) {
    stretches_.emplace_hint(behind, place, before);
    before.end = place;
  }
}

void WriteLog::join_all() {
  const size_t begin = stretches_.begin()->first;
  Stretch whole{stretches_.rbegin()->second.end, 0};
  for (const auto& [at, stretch] : stretches_) {
    whole.write = std::max(whole.write, stretch.write);
  }
  stretches_.clear();
  stretches_.emplace(begin, whole);
}

}  // namespace forebay::ndarray
