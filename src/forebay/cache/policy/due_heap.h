// A heap of slots by when they are read next: at its top is what may go first.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "forebay/cache/policy/slot_list.h"

namespace forebay::cache {

/// What goes first: a lower priority, then a later read.
struct Due {
  double time = 0;
  int8_t priority = 0;

  bool goes_before(const Due& other) const {
    return priority != other.priority ? priority < other.priority : time > other.time;
  }
};

/// Thread compatible. 28 bytes a slot.
class DueHeap {
 public:
  struct Node {
    Due due;
    EntrySlot slot = kEndOfList;
  };

  bool is_empty() const { return nodes_.empty(); }
  const Node& top() const { return nodes_.front(); }
  bool has(EntrySlot slot) const { return slot < places_.size() && places_[slot] != kNoPlace; }

  /// Adds the slot, or gives it another time.
  void set(EntrySlot slot, const Due& due);
  void erase(EntrySlot slot);

  /// Calls `visit` with slots that go before `due`, in no order, until it returns false.
  template <class Visit>
  void visit_before(const Due& due, const Visit& visit) const {
    std::vector<size_t> open = {0};
    while (!open.empty()) {
      const size_t place = open.back();
      open.pop_back();
      if (place >= nodes_.size() || !nodes_[place].due.goes_before(due)) {
        continue;
      }
      if (!visit(nodes_[place].slot)) {
        return;
      }
      open.push_back(2 * place + 1);
      open.push_back(2 * place + 2);
    }
  }

  size_t memory_bytes() const {
    return nodes_.capacity() * sizeof(Node) + places_.capacity() * sizeof(uint32_t);
  }

 private:
  static constexpr uint32_t kNoPlace = 0xffffffff;

  void put(size_t place, const Node& node);
  void sift_up(size_t place, const Node& node);
  void sift_down(size_t place, const Node& node);

  std::vector<Node> nodes_;
  std::vector<uint32_t> places_;  // by slot
};

}  // namespace forebay::cache
