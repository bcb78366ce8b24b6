// First in, first out: what a cache does without a policy of its own.
#pragma once

#include <deque>
#include <vector>

#include "forebay/cache/policy/eviction_policy.h"

namespace forebay::cache {

class FifoPolicy final : public EvictionPolicy {
 public:
  bool admits(const EntryFacts&) override { return true; }
  void inserted(EntrySlot slot, const EntryFacts& entry) override;
  void used(EntrySlot) override {}
  void retention_changed(EntrySlot slot, const Retention& retention) override;
  void removed(EntrySlot slot) override;
  std::optional<EntrySlot> take_victim() override;
  size_t memory_bytes() const override;

 private:
  struct Turn {
    EntrySlot slot;
    uint32_t turn;
  };
  struct State {
    uint32_t turn = 0;  // of the slot's entry; 0: none
    bool is_pinned = false;
  };

  bool is_current(const Turn& turn) const { return states_[turn.slot].turn == turn.turn; }

  std::vector<State> states_;  // by slot
  std::deque<Turn> queue_;     // turns of entries that are gone are among them
  size_t entries_ = 0;
  uint32_t next_turn_ = 0;
};

}  // namespace forebay::cache
