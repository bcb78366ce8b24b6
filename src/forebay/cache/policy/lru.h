// The entry that was read longest ago goes first.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "forebay/cache/policy/eviction_policy.h"
#include "forebay/cache/policy/slot_list.h"

namespace forebay::cache {

/// Thread compatible. 12 bytes a slot. Admits all but what is of a lower priority than everything else.
class Lru final : public EvictionPolicy {
 public:
  bool admits(const EntryFacts& candidate) override;
  void inserted(EntrySlot slot, const EntryFacts& entry) override;
  void used(EntrySlot slot) override;
  void retention_changed(EntrySlot slot, const Retention& retention) override;
  void removed(EntrySlot slot) override;
  std::optional<EntrySlot> take_victim() override;
  size_t memory_bytes() const override;

 private:
  struct Record {
    SlotLink link;
    int8_t priority = 0;
    bool is_pinned = false;  // then it is in no list
  };

  void link(EntrySlot slot);
  void unlink(EntrySlot slot);

  std::vector<Record> records_;
  std::map<int8_t, SlotList> lists_;  // one for each priority
};

}  // namespace forebay::cache
