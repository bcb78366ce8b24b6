#include "forebay/cache/policy/lru.h"

#include <algorithm>

namespace forebay::cache {

bool Lru::admits(const EntryFacts& candidate) {
  return std::ranges::any_of(lists_, [&](const auto& level) {
    return level.first <= candidate.retention.priority && !level.second.is_empty();
  });
}

void Lru::link(EntrySlot slot) {
  const Record& record = records_[slot];
  if (!record.is_pinned) {
    lists_[record.priority].push_first(&records_, slot);
  }
}

void Lru::unlink(EntrySlot slot) {
  const Record& record = records_[slot];
  if (!record.is_pinned) {
    lists_[record.priority].erase(&records_, slot);
  }
}

void Lru::inserted(EntrySlot slot, const EntryFacts& entry) {
  if (slot >= records_.size()) {
    records_.resize(slot + 1);
  }
  records_[slot].priority = entry.retention.priority;
  records_[slot].is_pinned = entry.retention.is_pinned;
  link(slot);
}

void Lru::used(EntrySlot slot) {
  unlink(slot);
  link(slot);
}

void Lru::retention_changed(EntrySlot slot, const Retention& retention) {
  unlink(slot);
  records_[slot].priority = retention.priority;
  records_[slot].is_pinned = retention.is_pinned;
  link(slot);
}

void Lru::removed(EntrySlot slot) {
  unlink(slot);
}

std::optional<EntrySlot> Lru::take_victim() {
  for (auto& [priority, list] : lists_) {
    if (!list.is_empty()) {
      const EntrySlot victim = list.last();
      list.erase(&records_, victim);
      return victim;
    }
  }
  return std::nullopt;
}

size_t Lru::memory_bytes() const {
  return records_.capacity() * sizeof(Record);
}

}  // namespace forebay::cache
