// What a pool checks beyond its work, chosen when it is compiled: what is off costs nothing.
#pragma once

#include <cstdint>

namespace forebay::memory {

/// A policy of BasicPool. With a check on, what goes wrong is remembered (`faults()`) and a block that was
/// given back wrongly is left alone.
template <bool Poison, bool Returns, bool Queues, bool Leaks>
struct PoolChecks {
  /// Fills blocks that the host gives back, and looks before they are handed out whether somebody wrote to
  /// them.
  static constexpr bool kPoison = Poison;
  /// Blocks given back twice, never handed out, or with another size.
  static constexpr bool kReturns = Returns;
  /// Blocks given back on another queue than they were handed to.
  static constexpr bool kQueues = Queues;
  /// Blocks that are out when the pool ends: a line each in the log.
  static constexpr bool kLeaks = Leaks;

  static constexpr bool kAny = Poison || Returns || Queues || Leaks;
};

using NoPoolChecks = PoolChecks<false, false, false, false>;
using AllPoolChecks = PoolChecks<true, true, true, true>;

}  // namespace forebay::memory
