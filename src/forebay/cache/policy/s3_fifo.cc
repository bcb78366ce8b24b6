#include "forebay/cache/policy/s3_fifo.h"

#include <algorithm>

namespace forebay::cache {
namespace {

constexpr uint64_t kSmallParts = 10;  // the small queue has one of so many parts of the bytes
constexpr uint8_t kMaxReads = 3;
constexpr uint8_t kReadsForMain = 2;

uint32_t fingerprint_of(const EntryKey& key) {
  return static_cast<uint32_t>(key.hash() >> 32);
}

}  // namespace

bool S3Fifo::admits(const EntryFacts& candidate) {
  return std::ranges::any_of(levels_, [&](const auto& level) {
    return level.first <= candidate.retention.priority && !level.second.is_empty();
  });
}

S3Fifo::Queue& S3Fifo::queue_of(const Record& record) {
  Level& level = levels_[record.priority];
  return record.is_in_main ? level.main : level.small;
}

void S3Fifo::link(EntrySlot slot) {
  const Record& record = records_[slot];
  if (!record.is_pinned) {
    Queue& queue = queue_of(record);
    queue.slots.push_first(&records_, slot);
    queue.bytes += record.bytes;
  }
}

void S3Fifo::unlink(EntrySlot slot) {
  const Record& record = records_[slot];
  if (!record.is_pinned) {
    Queue& queue = queue_of(record);
    queue.slots.erase(&records_, slot);
    queue.bytes -= record.bytes;
  }
}

void S3Fifo::inserted(EntrySlot slot, const EntryFacts& entry) {
  if (slot >= records_.size()) {
    records_.resize(slot + 1);
  }
  Record& record = records_[slot];
  record.bytes = entry.bytes;
  record.fingerprint = fingerprint_of(entry.key);
  record.priority = entry.retention.priority;
  record.is_pinned = entry.retention.is_pinned;
  record.reads = 0;
  record.is_in_main = ghosts_.take(record.fingerprint);
  held_bytes_ += entry.bytes;
  ++held_entries_;
  link(slot);
}

void S3Fifo::used(EntrySlot slot) {
  Record& record = records_[slot];
  record.reads = std::min<uint8_t>(record.reads + 1, kMaxReads);
}

void S3Fifo::retention_changed(EntrySlot slot, const Retention& retention) {
  unlink(slot);
  records_[slot].priority = retention.priority;
  records_[slot].is_pinned = retention.is_pinned;
  link(slot);
}

void S3Fifo::removed(EntrySlot slot) {
  unlink(slot);
  held_bytes_ -= records_[slot].bytes;
  --held_entries_;
}

std::optional<EntrySlot> S3Fifo::leave_small(Level* level) {
  const EntrySlot slot = level->small.slots.last();
  Record& record = records_[slot];
  unlink(slot);
  if (record.reads >= kReadsForMain) {
    record.reads = 0;
    record.is_in_main = true;
    link(slot);
    return std::nullopt;
  }
  ghosts_.push(record.fingerprint);
  ghosts_.trim(held_entries_ - held_entries_ / kSmallParts);
  return slot;
}

std::optional<EntrySlot> S3Fifo::leave_main(Level* level) {
  const EntrySlot slot = level->main.slots.last();
  Record& record = records_[slot];
  unlink(slot);
  if (record.reads == 0) {
    return slot;
  }
  --record.reads;
  link(slot);
  return std::nullopt;
}

std::optional<EntrySlot> S3Fifo::take_victim() {
  const auto found = std::ranges::find_if(levels_, [](const auto& each) { return !each.second.is_empty(); });
  if (found == levels_.end()) {
    return std::nullopt;
  }
  Level& level = found->second;
  std::optional<EntrySlot> victim;
  while (!victim) {  // each turn takes a slot out of the small queue, or a read off one in the main queue
    const uint64_t all = level.small.bytes + level.main.bytes;
    const bool from_small = !level.small.slots.is_empty() &&
                            (level.main.slots.is_empty() || level.small.bytes >= all / kSmallParts);
    victim = from_small ? leave_small(&level) : leave_main(&level);
  }
  held_bytes_ -= records_[*victim].bytes;
  --held_entries_;
  return victim;
}

size_t S3Fifo::memory_bytes() const {
  return records_.capacity() * sizeof(Record) + ghosts_.memory_bytes();
}

}  // namespace forebay::cache
