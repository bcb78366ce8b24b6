// The places where a pool keeps the order between queues. The pool is compiled with a policy that says which
// of these places are active: all of them in the product, all but one in the test that shows that each is
// needed.
#pragma once

#include <algorithm>
#include <cstdint>

namespace forebay::memory {

enum class OrderingSite : uint8_t {
  kSteal,      // a queue that takes another queue's block waits for its last use
  kKnown,      // a wait is skipped only for blocks freed before a point already waited for
  kCovered,    // a recorded point covers only blocks freed before it was recorded
  kShare,      // a block is available to everybody only after its point has passed
  kGather,     // neighbours of several queues are merged only after all their work
  kCombine,    // two merged blocks of a queue take the later last use
  kExplicit,   // a fence passed with a block is kept with it
  kAllocated,  // a block freed without a fence may still be in use by the queue it was allocated on
  kReturn,     // memory is returned upstream with the fence of its last use
};

struct StrictOrdering {
  static constexpr bool enforces(OrderingSite) { return true; }
};

/// When a block was last used, in terms of the queue that owns it.
struct Stamp {
  // 0: not used; otherwise points recorded in this epoch or later are behind the last use.
  uint64_t epoch = 0;
  uint64_t sequence = 0;  // if not 0, this point is behind the last use, too
};

template <class Ordering>
Stamp later_of(const Stamp& a, const Stamp& b) {
  if constexpr (!Ordering::enforces(OrderingSite::kCombine)) {
    return a;
  }
  if (a.epoch == 0 || b.epoch == 0) {
    return a.epoch == 0 ? b : a;
  }
  const bool both_recorded = a.sequence != 0 && b.sequence != 0;
  return {.epoch = std::max(a.epoch, b.epoch),
          .sequence = both_recorded ? std::max(a.sequence, b.sequence) : 0};
}

}  // namespace forebay::memory
