#include "forebay/cache/policy/ghost_queue.h"

#include <utility>

namespace forebay::cache {

size_t GhostQueue::home_of(uint32_t fingerprint) const {
  return (fingerprint * uint64_t{0x9E3779B97F4A7C15} >> 32) & (table_.size() - 1);
}

/// The place of the fingerprint in the table, or the free place where it belongs.
size_t GhostQueue::find(uint32_t fingerprint) const {
  size_t place = home_of(fingerprint);
  while (table_[place] != 0 && ghost(table_[place]).fingerprint != fingerprint) {
    place = (place + 1) & (table_.size() - 1);
  }
  return place;
}

void GhostQueue::grow() {
  const std::vector<uint32_t> old = std::exchange(table_, {});
  table_.resize(old.empty() ? 64 : old.size() * 2);
  for (const uint32_t sequence : old) {
    if (sequence != 0) {
      table_[find(ghost(sequence).fingerprint)] = sequence;
    }
  }
}

void GhostQueue::push(uint32_t fingerprint) {
  take(fingerprint);
  if (table_.empty() || size_ * 2 >= table_.size()) {
    grow();
  }
  const auto sequence = static_cast<uint32_t>(first_ + queue_.size());
  queue_.push_back({fingerprint, false});
  table_[find(fingerprint)] = sequence;
  ++size_;
}

/// Frees a place and closes the gap, so that searches need no marks of what was removed.
void GhostQueue::forget(size_t place) {
  const size_t mask = table_.size() - 1;
  size_t gap = place;
  for (size_t next = (gap + 1) & mask; table_[next] != 0; next = (next + 1) & mask) {
    const size_t home = home_of(ghost(table_[next]).fingerprint);
    if (((next - home) & mask) >= ((next - gap) & mask)) {
      table_[gap] = table_[next];
      gap = next;
    }
  }
  table_[gap] = 0;
  --size_;
}

bool GhostQueue::take(uint32_t fingerprint) {
  if (table_.empty()) {
    return false;
  }
  const size_t place = find(fingerprint);
  if (table_[place] == 0) {
    return false;
  }
  ghost(table_[place]).is_taken = true;
  forget(place);
  return true;
}

void GhostQueue::trim(size_t limit) {
  while (!queue_.empty() && (size_ > limit || queue_.front().is_taken)) {
    if (!queue_.front().is_taken) {
      forget(find(queue_.front().fingerprint));
    }
    queue_.pop_front();
    ++first_;
  }
}

size_t GhostQueue::memory_bytes() const {
  return queue_.size() * sizeof(Ghost) + table_.capacity() * sizeof(uint32_t);
}

}  // namespace forebay::cache
