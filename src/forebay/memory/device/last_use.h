// When memory may be used again. A block that a queue used is free only when that use is known to be over, or
// when the device has stopped for good. An error of the driver is neither: it leaves the block in use.
//
// Every place that gives memory back asks here. All functions may be called on any thread. On one that
// captures a queue (device_graph.h) they ask no driver anything, since that would spoil the capture.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/sync/fence.h"

namespace forebay::memory {

/// Behind everything that was put on `queue` so far: a recorded point, or kEndOfQueue where none can be
/// recorded. Trivial for a driver that is gone or a device that has stopped.
Fence end_of_queue(uint32_t driver, uint32_t queue);

/// Whether the use that `last_use` stands for is over. Does not wait; false when the driver cannot say.
bool is_over(const Fence& last_use);

/// The same after waiting for it; false when the driver cannot say even then.
bool wait_until_over(const Fence& last_use);

/// Keeps `give_back` until all these uses are over. It runs inside a later call of keep_until_over,
/// give_back_after or give_back_kept, on that call's thread, and must not throw. Without memory for the list
/// the block is lost rather than used too early.
void keep_until_over(std::vector<Fence> uses, absl::AnyInvocable<void()> give_back) noexcept;

/// Runs what keep_until_over has kept and may run now; how many remain.
size_t give_back_kept() noexcept;

/// Runs `give_back` once `last_use` is over: after a wait in this call, or later when the driver cannot say.
template <class GiveBack>
void give_back_after(const Fence& last_use, GiveBack give_back) noexcept {
  if (last_use.is_trivial()) [[likely]] {
    give_back();
    return;
  }
  give_back_kept();
  if (wait_until_over(last_use)) {
    give_back();
  } else {
    keep_until_over({last_use}, std::move(give_back));
  }
}

}  // namespace forebay::memory
