#include "forebay/cache/policy/fifo_policy.h"

#include <algorithm>

namespace forebay::cache {

void FifoPolicy::inserted(EntrySlot slot, const EntryFacts& entry) {
  if (slot >= states_.size()) {
    states_.resize(slot + 1);
  }
  next_turn_ = std::max(next_turn_ + 1, 1u);
  states_[slot] = {next_turn_, entry.retention.is_pinned};
  queue_.push_back({slot, next_turn_});
  ++entries_;
  if (queue_.size() > 2 * entries_ + 64) {
    std::erase_if(queue_, [this](const Turn& turn) { return !is_current(turn); });
  }
}

void FifoPolicy::retention_changed(EntrySlot slot, const Retention& retention) {
  states_[slot].is_pinned = retention.is_pinned;
}

void FifoPolicy::removed(EntrySlot slot) {
  states_[slot] = {};
  --entries_;
}

std::optional<EntrySlot> FifoPolicy::take_victim() {
  for (size_t left = queue_.size(); left > 0; --left) {
    const Turn next = queue_.front();
    queue_.pop_front();
    if (!is_current(next)) {
      continue;
    }
    if (states_[next.slot].is_pinned) {
      queue_.push_back(next);
      continue;
    }
    removed(next.slot);
    return next.slot;
  }
  return std::nullopt;
}

size_t FifoPolicy::memory_bytes() const {
  return states_.capacity() * sizeof(State) + queue_.size() * sizeof(Turn);
}

}  // namespace forebay::cache
