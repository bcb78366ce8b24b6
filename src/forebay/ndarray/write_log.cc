#include "forebay/ndarray/write_log.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace forebay::ndarray {

void WriteLog::note(size_t begin, size_t end, uint64_t write) {
  if (begin >= end) {
    return;
  }
  const MutexLock lock(mutex_);
  cut_at(begin);
  cut_at(end);
  stretches_.erase(stretches_.lower_bound(begin), stretches_.lower_bound(end));
  join_with_neighbours(stretches_.emplace(begin, Stretch{end, write}).first);
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

/// Makes one of `stretch` and the nearest ones while there are too many.
void WriteLog::join_with_neighbours(Stretches::iterator stretch) {
  constexpr size_t kNone = std::numeric_limits<size_t>::max();
  while (stretches_.size() > most_stretches_ && stretches_.size() > 1) {
    const auto behind = std::next(stretch);
    const size_t gap_behind = behind == stretches_.end() ? kNone : behind->first - stretch->second.end;
    const size_t gap_before =
        stretch == stretches_.begin() ? kNone : stretch->first - std::prev(stretch)->second.end;
    if (gap_before <= gap_behind) {
      --stretch;
    }
    const auto joined = std::next(stretch);
    stretch->second = {joined->second.end, std::max(stretch->second.write, joined->second.write)};
    stretches_.erase(joined);
  }
}

}  // namespace forebay::ndarray
