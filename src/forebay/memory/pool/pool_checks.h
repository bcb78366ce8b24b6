// Which extra checks a pool makes, chosen at compile time: a check that is off costs nothing.
#pragma once

#include <cstdint>

namespace forebay::memory {

/// A policy for BasicPool. With a check on, faults are recorded (`faults()`) and a wrongly freed block is
/// left alone.
template <bool Poison, bool Returns, bool Queues, bool Leaks>
struct PoolChecks {
  /// Fills blocks that the host frees, and checks before reusing them that nobody wrote to them.
  static constexpr bool kPoison = Poison;
  /// Detects double frees, frees of unknown blocks, and frees with a wrong size.
  static constexpr bool kReturns = Returns;
  /// Detects blocks freed on another queue than they were allocated on.
  static constexpr bool kQueues = Queues;
  /// Logs one line for each block still allocated when the pool is destroyed.
  static constexpr bool kLeaks = Leaks;

  static constexpr bool kAny = Poison || Returns || Queues || Leaks;
};

using NoPoolChecks = PoolChecks<false, false, false, false>;
using AllPoolChecks = PoolChecks<true, true, true, true>;

}  // namespace forebay::memory
