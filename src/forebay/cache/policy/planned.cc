#include "forebay/cache/policy/planned.h"

#include <algorithm>
#include <utility>

namespace forebay::cache {
namespace {

constexpr uint64_t kUnplannedParts = 8;  // what no plan covers may have one of so many parts of the cache
// A cache counts as full when less than one of so many parts is free: gaps between entries of many sizes are
// no room that waits to be filled.
constexpr uint64_t kFullParts = 32;
constexpr int kRenewedEachTime = 2;
constexpr int kRenewedAfterChange = 32;
constexpr int kTopsRenewed = 64;
constexpr size_t kUsedNoted = 4096;
constexpr int kUsedRenewed = 64;

}  // namespace

Planned::Planned(std::shared_ptr<Future> future, std::shared_ptr<PlannedRoom> room, uint64_t capacity_bytes,
                 Capacity capacity)
    : future_(std::move(future)),
      room_(std::move(room)),
      capacity_(capacity),
      capacity_bytes_(capacity_bytes) {
  used_.reserve(kUsedNoted);
  show_room();
}

EntryPlace Planned::place_of(const EntryFacts& entry) {
  return {entry.key.object.low, entry.key.start_bytes, entry.bytes};
}

void Planned::unplace(EntrySlot slot) {
  Record& record = records_[slot];
  if (record.keeper == Keeper::kHeap) {
    heap_.erase(slot);
  } else if (record.keeper == Keeper::kUnplanned) {
    unplanned_.removed(slot);
  }
  record.keeper = Keeper::kNobody;
}

void Planned::mark_used(EntrySlot slot) {
  records_[slot].last_used = static_cast<uint32_t>(static_cast<uint64_t>(future_->now()));
}

double Planned::last_used(const Record& record) const {
  const double now = future_->now();
  return now - static_cast<double>(static_cast<uint32_t>(static_cast<uint64_t>(now)) - record.last_used);
}

void Planned::place(EntrySlot slot) {
  Record& record = records_[slot];
  const std::optional<double> next = future_->next_read(record.place, last_used(record));
  const Keeper keeper = next ? Keeper::kHeap : Keeper::kUnplanned;
  if (record.keeper != keeper) {
    unplace(slot);
  }
  if (next) {
    heap_.set(slot, {*next, record.priority});
  } else if (record.keeper != keeper) {
    const EntryKey key = {.object = {.low = record.place.object}, .start_bytes = record.place.start_bytes};
    unplanned_.inserted(slot, {key, record.place.bytes, {.priority = record.priority}});
  }
  record.keeper = keeper;
}

void Planned::renew(EntrySlot slot) {
  const Keeper keeper = records_[slot].keeper;
  if (keeper == Keeper::kHeap || keeper == Keeper::kUnplanned) {
    place(slot);
  }
}

void Planned::renew_some() {
  for (int i = 0; i < kUsedRenewed && !used_.empty(); ++i) {
    renew(used_.back());
    used_.pop_back();
  }
  const uint64_t changes = future_->changes();
  if (std::exchange(seen_changes_, changes) != changes) {
    stale_slots_ = records_.size();
  }
  const int count = stale_slots_ > 0 ? kRenewedAfterChange : kRenewedEachTime;
  for (int i = 0; i < count && !records_.empty(); ++i) {
    hand_ = hand_ + 1 < records_.size() ? hand_ + 1 : 0;
    renew(hand_);
  }
  stale_slots_ -= std::min<size_t>(stale_slots_, static_cast<size_t>(count));
}

void Planned::renew_top() {
  for (int i = 0; i < kTopsRenewed && !heap_.is_empty(); ++i) {
    const EntrySlot slot = heap_.top().slot;
    place(slot);
    if (!heap_.is_empty() && heap_.top().slot == slot) {
      return;
    }
  }
}

bool Planned::unplanned_goes_first() const {
  if (heap_.is_empty()) {
    return true;
  }
  return heap_.top().due.time != kNoRead && unplanned_.held_bytes() > capacity_bytes_ / kUnplannedParts;
}

bool Planned::admits(const EntryFacts& candidate) {
  renew_some();
  renew_top();
  if (capacity_ == Capacity::kLearnt) {
    capacity_bytes_ = std::min(capacity_bytes_, held_bytes_ + candidate.bytes);  // it did not fit
  }
  show_room();
  const uint64_t share = capacity_bytes_ / kUnplannedParts;
  const std::optional<double> next = future_->next_read(place_of(candidate), future_->now());
  if (!next) {
    const bool is_in_share = unplanned_.held_bytes() + candidate.bytes <= share;
    return (is_in_share && !heap_.is_empty()) || unplanned_.admits(candidate);
  }
  uint64_t found = unplanned_.held_bytes() - std::min(unplanned_.held_bytes(), share);
  if (found < candidate.bytes) {
    heap_.visit_before({*next, candidate.retention.priority}, [&](EntrySlot slot) {
      found += records_[slot].place.bytes;
      return found < candidate.bytes;
    });
  }
  return found >= candidate.bytes;
}

void Planned::inserted(EntrySlot slot, const EntryFacts& entry) {
  if (slot >= records_.size()) {
    records_.resize(slot + 1);
  }
  Record& record = records_[slot];
  record = {.place = place_of(entry), .priority = entry.retention.priority};
  held_bytes_ += entry.bytes;
  if (capacity_ == Capacity::kLearnt) {
    capacity_bytes_ = std::max(capacity_bytes_, held_bytes_);
  }
  if (entry.retention.is_pinned) {
    record.keeper = Keeper::kPinned;
  } else {
    mark_used(slot);
    place(slot);
  }
  show_room();
}

void Planned::used(EntrySlot slot) {
  mark_used(slot);
  if (records_[slot].keeper == Keeper::kUnplanned) {
    unplanned_.used(slot);
  } else if (used_.size() < kUsedNoted) {
    used_.push_back(slot);
  }
}

void Planned::retention_changed(EntrySlot slot, const Retention& retention) {
  unplace(slot);
  records_[slot].priority = retention.priority;
  if (retention.is_pinned) {
    records_[slot].keeper = Keeper::kPinned;
  } else {
    place(slot);
  }
}

void Planned::forget(EntrySlot slot) {
  held_bytes_ -= records_[slot].place.bytes;
  records_[slot].keeper = Keeper::kNobody;
  show_room();
}

void Planned::removed(EntrySlot slot) {
  unplace(slot);
  forget(slot);
}

std::optional<EntrySlot> Planned::take_victim() {
  renew_some();
  renew_top();
  std::optional<EntrySlot> victim = unplanned_goes_first() ? unplanned_.take_victim() : std::nullopt;
  if (!victim && !heap_.is_empty()) {
    victim = heap_.top().slot;
    heap_.erase(*victim);
  }
  if (victim) {
    forget(*victim);
  }
  return victim;
}

void Planned::show_room() {
  const uint64_t full_bytes = capacity_bytes_ - capacity_bytes_ / kFullParts;
  room_->free_bytes = full_bytes - std::min(full_bytes, held_bytes_);
  room_->capacity_bytes = capacity_bytes_;
  room_->last_read = unplanned_goes_first() ? kNoRead : heap_.top().due.time;
}

void Planned::capacity_changed(uint64_t capacity_bytes) {
  capacity_bytes_ = capacity_bytes;
  show_room();
}

size_t Planned::memory_bytes() const {
  return records_.capacity() * sizeof(Record) + heap_.memory_bytes() + unplanned_.memory_bytes() +
         used_.capacity() * sizeof(EntrySlot);
}

}  // namespace forebay::cache
