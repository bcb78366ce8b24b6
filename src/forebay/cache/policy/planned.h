// What is read last goes first: Belady's MIN with bypass, over the known future of all readers.
//
// Source: Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal
// 5(2), 1966; with bypass: an entry that is read later than all that would have to go for it never comes in.
// For entries of one size and one reader this is the fewest possible bytes from upstream.
//
// Entries lie in a heap by the time of their next read. Times go stale when readers change their speed or
// plans come and go, so the top is computed anew before it is believed, and each decision also renews a few
// entries in the order of their slots. What no plan covers is left to S3-FIFO and may have an eighth of the
// cache.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "forebay/cache/policy/due_heap.h"
#include "forebay/cache/policy/eviction_policy.h"
#include "forebay/cache/policy/future.h"
#include "forebay/cache/policy/planned_room.h"
#include "forebay/cache/policy/s3_fifo.h"

namespace forebay::cache {

/// Thread compatible; the future and the room may be shared. 84 bytes a slot, those of the S3-FIFO included.
class Planned final : public EvictionPolicy {
 public:
  /// Whether the capacity is what its owner counts, or about that: files have headers, and not all of a
  /// directory's quota holds entries.
  enum class Capacity : uint8_t { kExact, kLearnt };

  Planned(std::shared_ptr<Future> future, std::shared_ptr<PlannedRoom> room, uint64_t capacity_bytes,
          Capacity capacity = Capacity::kLearnt);

  bool admits(const EntryFacts& candidate) override;
  void inserted(EntrySlot slot, const EntryFacts& entry) override;
  void used(EntrySlot slot) override;
  void retention_changed(EntrySlot slot, const Retention& retention) override;
  void removed(EntrySlot slot) override;
  std::optional<EntrySlot> take_victim() override;
  void capacity_changed(uint64_t capacity_bytes) override;
  size_t memory_bytes() const override;
  std::shared_ptr<const PlannedRoom> room() const override { return room_; }

 private:
  enum class Keeper : uint8_t { kNobody, kHeap, kUnplanned, kPinned };
  struct Record {
    EntryPlace place;
    uint32_t last_used = 0;  // on the future's time, modulo 2^32
    int8_t priority = 0;
    Keeper keeper = Keeper::kNobody;
  };

  static EntryPlace place_of(const EntryFacts& entry);
  void mark_used(EntrySlot slot);
  double last_used(const Record& record) const;
  void place(EntrySlot slot);
  void unplace(EntrySlot slot);
  void forget(EntrySlot slot);
  void renew(EntrySlot slot);
  void renew_some();
  void renew_top();
  bool unplanned_goes_first() const;
  void show_room();

  const std::shared_ptr<Future> future_;
  const std::shared_ptr<PlannedRoom> room_;
  const Capacity capacity_;
  uint64_t capacity_bytes_;
  std::vector<Record> records_;
  DueHeap heap_;
  S3Fifo unplanned_;
  uint64_t held_bytes_ = 0;
  uint64_t seen_changes_ = 0;
  size_t stale_slots_ = 0;  // to be renewed soon, because plans came or went
  EntrySlot hand_ = 0;
  std::vector<EntrySlot> used_;  // since the last decisions; only as many as fit
};

}  // namespace forebay::cache
