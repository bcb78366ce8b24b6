#include "forebay/cache/core/memory_tier.h"

#include <utility>

namespace forebay::cache {

void MemoryTier::keep(EntrySlot slot, storage::ReadBytes bytes) {
  total_bytes_ += bytes.size_bytes();
  copies_[slot] = {std::move(bytes), ++next_turn_};
  queue_.push_back({slot, next_turn_});
  table_[slot].is_held = true;
  if (queue_.size() > 2 * copies_.size() + 64) {
    std::erase_if(queue_, [this](const Turn& turn) { return !is_current(turn); });
  }
}

bool MemoryTier::is_current(const Turn& turn) const {
  const auto copy = copies_.find(turn.slot);
  return copy != copies_.end() && copy->second.turn == turn.turn;
}

storage::ReadBytes MemoryTier::drop(EntrySlot slot) {
  const auto copy = copies_.find(slot);
  storage::ReadBytes bytes = std::move(copy->second.bytes);
  total_bytes_ -= bytes.size_bytes();
  copies_.erase(copy);
  table_[slot].is_held = false;
  return bytes;
}

std::optional<EntrySlot> MemoryTier::next_to_drop() {
  for (size_t left = 2 * queue_.size(); left > 0; --left) {
    const Turn next = queue_.front();
    queue_.pop_front();
    if (!is_current(next)) {
      continue;
    }
    Entry& entry = table_[next.slot];
    if (entry.is_written && !entry.was_used) {
      return next.slot;
    }
    entry.was_used = entry.was_used && !entry.is_written;
    queue_.push_back(next);
  }
  return std::nullopt;
}

}  // namespace forebay::cache
