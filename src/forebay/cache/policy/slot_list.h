// Doubly linked lists of slots whose links lie in one array, so that moving an entry allocates nothing.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "forebay/cache/policy/eviction_policy.h"

namespace forebay::cache {

inline constexpr EntrySlot kEndOfList = std::numeric_limits<EntrySlot>::max();

/// The place of a slot in the one list that it is in.
struct SlotLink {
  EntrySlot before = kEndOfList;
  EntrySlot behind = kEndOfList;
};

/// A list of records with a member `link`; the records are an array that is indexed by slot.
class SlotList {
 public:
  bool is_empty() const { return first_ == kEndOfList; }
  /// The slot that has been in the list longest; kEndOfList if there is none.
  EntrySlot last() const { return last_; }

  template <class Record>
  void push_first(std::vector<Record>* records, EntrySlot slot) {
    (*records)[slot].link = {.before = kEndOfList, .behind = first_};
    (first_ == kEndOfList ? last_ : (*records)[first_].link.before) = slot;
    first_ = slot;
  }

  template <class Record>
  void erase(std::vector<Record>* records, EntrySlot slot) {
    const SlotLink link = (*records)[slot].link;
    (link.before == kEndOfList ? first_ : (*records)[link.before].link.behind) = link.behind;
    (link.behind == kEndOfList ? last_ : (*records)[link.behind].link.before) = link.before;
  }

 private:
  EntrySlot first_ = kEndOfList;
  EntrySlot last_ = kEndOfList;
};

}  // namespace forebay::cache
