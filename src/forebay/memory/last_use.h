// Decides when memory may be reused. A block used by a queue is free only when that use is known to be over,
// or when the device has stopped for good. A driver error is neither: the block stays in use.
//
// All code that frees memory asks here. Functions may be called on any thread. On a thread that is capturing
// a queue (device_graph.h) they query no driver, since that would invalidate the capture.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/sync/fence.h"

namespace forebay::memory {

/// A fence behind everything put on `queue` so far: a recorded point, or kEndOfQueue if none can be recorded.
/// Trivial if the driver is unregistered or the device has stopped.
Fence end_of_queue(uint32_t driver, uint32_t queue);

/// Whether the use behind `last_use` is over. Does not block; false if the driver cannot tell.
bool is_over(const Fence& last_use);

/// Waits for it first; false if the driver cannot tell even then.
bool wait_until_over(const Fence& last_use);

/// Keeps `give_back` until all `uses` are over. It then runs inside a later call of keep_until_over,
/// give_back_after or give_back_kept, on that call's thread, and must not throw. If there is no memory to
/// remember it, the block is leaked rather than reused too early.
void keep_until_over(std::vector<Fence> uses, absl::AnyInvocable<void()> give_back) noexcept;

/// Runs the kept callbacks whose uses are over; returns how many remain.
size_t give_back_kept() noexcept;

/// Runs `give_back` once `last_use` is over: in this call after waiting, or later if the driver cannot tell.
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
