// S3-FIFO: what is read only once passes through a small queue without displacing what is read often.
//
// Source: Yang, Zhang, Qiu, Yue, Rashmi, "FIFO Queues are All You Need for Cache Eviction", SOSP 2023. New
// entries enter the small queue, a tenth of the bytes. Those that were read twice while in it move to the
// main queue; the others leave the cache as ghosts. A ghost that comes back enters the main queue. The main
// queue gives what was read another round for each of up to three reads.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "forebay/cache/policy/eviction_policy.h"
#include "forebay/cache/policy/ghost_queue.h"
#include "forebay/cache/policy/slot_list.h"

namespace forebay::cache {

/// Thread compatible. 24 bytes a slot, and 12 to 20 for each ghost, of which there are at most 0.9 for each
/// entry. Admits all but what is of a lower priority than everything else.
class S3Fifo final : public EvictionPolicy {
 public:
  bool admits(const EntryFacts& candidate) override;
  void inserted(EntrySlot slot, const EntryFacts& entry) override;
  void used(EntrySlot slot) override;
  void retention_changed(EntrySlot slot, const Retention& retention) override;
  void removed(EntrySlot slot) override;
  std::optional<EntrySlot> take_victim() override;
  size_t memory_bytes() const override;

  /// The bytes of all entries.
  uint64_t held_bytes() const { return held_bytes_; }

 private:
  struct Record {
    SlotLink link;
    uint64_t bytes = 0;
    uint32_t fingerprint = 0;
    int8_t priority = 0;
    uint8_t reads = 0;  // at most 3
    bool is_in_main = false;
    bool is_pinned = false;  // then it is in no queue
  };
  struct Queue {
    SlotList slots;
    uint64_t bytes = 0;
  };
  /// The entries of one priority.
  struct Level {
    Queue small;
    Queue main;

    bool is_empty() const { return small.slots.is_empty() && main.slots.is_empty(); }
  };

  Queue& queue_of(const Record& record);
  void link(EntrySlot slot);
  void unlink(EntrySlot slot);
  std::optional<EntrySlot> leave_small(Level* level);
  std::optional<EntrySlot> leave_main(Level* level);

  std::vector<Record> records_;
  std::map<int8_t, Level> levels_;
  GhostQueue ghosts_;
  uint64_t held_bytes_ = 0;
  size_t held_entries_ = 0;
};

}  // namespace forebay::cache
