// Where a pool keeps the order between queues. The pool is compiled over a policy that says which of these
// places do their work: all of them in the product, all but one in the test that shows each to be needed.
#pragma once

#include <algorithm>
#include <cstdint>

namespace forebay::memory {

enum class OrderingSite : uint8_t {
  kSteal,      // who takes another queue's block waits behind it
  kKnown,      // a wait is left out only for blocks given back before the point waited for
  kCovered,    // a recorded point serves only blocks given back before it was recorded
  kSettle,     // a block belongs to everybody only after its point has passed
  kGather,     // neighbours of several queues are joined only behind all of them
  kCombine,    // two joined blocks of a queue were last used when the later one was
  kExplicit,   // a fence that comes with a block is kept with it
  kAllocated,  // a block that comes back without a fence may still be used by the queue it was handed to
  kReturn,     // memory goes back upstream with the fence of its last use
};

struct StrictOrdering {
  static constexpr bool enforces(OrderingSite) { return true; }
};

/// When a block was last used, on the queue that owns it.
struct Stamp {
  uint64_t epoch = 0;     // 0: by nobody; else points recorded in this epoch or later are behind the last use
  uint64_t sequence = 0;  // and so is this point, if it is not 0
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
