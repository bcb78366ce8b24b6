// Waiting until a lane is less crowded.
#include "forebay/engine/core.h"
#include "forebay/engine/run_ahead.h"

namespace forebay::engine {
namespace {

/// Half of the limit: a pusher that is let go pushes many tasks before it waits again.
bool is_roomy(const Lane& lane) {
  return lane.unfinished <= lane.options.most_queued / 2;
}

/// False when all of it waits for what others have yet to complete or push: who waits for room may be one of
/// them.
bool can_go_on(const Lane& lane) {
  return lane.queued > 0 || lane.running > 0 || (lane.run_ahead != nullptr && lane.run_ahead->holds_any());
}

}  // namespace

void Core::end_room_waits(Lane& lane) {
  while (lane.room_waiters != nullptr && (is_roomy(lane) || !can_go_on(lane))) {
    Waiter* waiter = std::exchange(lane.room_waiters, lane.room_waiters->next);
    end_wait(*waiter, lane, ok_status());
  }
}

Status Core::await_room(const LaneRef& lane, const WaitOptions& options) {
  if (lane == nullptr) {
    return invalid_argument("no lane given to wait for");
  }
  FOREBAY_RETURN_IF_ERROR(check_handle(lane->core_id, lane->fork_generation, "lane"));
  if (current_task() != nullptr || lane->options.most_queued == 0) {
    return ok_status();
  }
  Section section(*this);
  if (is_roomy(*lane) || !can_go_on(*lane)) {
    return ok_status();
  }
  return wait_in_list(section, lane->room_waiters, *lane, {.lane = lane.get()}, options);
}

}  // namespace forebay::engine
