#include "forebay/fuse/writing/parts_under_way.h"

#include <exception>
#include <utility>

#include "forebay/fuse/writing/waits.h"

namespace forebay::fuse {

void PartsUnderWay::State::note_end(const Status& status) {
  const MutexLock lock(mutex);
  --under_way;
  first_error.Update(status);
  changed.notify_all();
}

Status PartsUnderWay::wait_for_room(size_t most, const storage::CallContext& context) const {
  State& state = *state_;
  UniqueMutexLock lock(state.mutex);
  const auto has_room = [&]() FOREBAY_REQUIRES(state.mutex) { return state.under_way < most; };
  FOREBAY_RETURN_IF_ERROR(wait_while_wanted(state.changed, lock, context, name_, has_room));
  return state.first_error;
}

void PartsUnderWay::add(storage::ObjectWriter& writer, KeptBytes part, int64_t deadline_ns) {
  const auto kept = std::make_shared<KeptBytes>(std::move(part));
  storage::StatusCallback done = [state = state_, kept](const Status& status) { state->note_end(status); };
  {
    const MutexLock lock(state_->mutex);
    ++state_->under_way;
  }
  try {
    writer.append(kept->bytes, {.deadline_ns = deadline_ns}, std::move(done));
  } catch (const std::exception& exception) {
    state_->note_end(resource_exhausted("{}: {}", name_, exception.what()));
  }
}

}  // namespace forebay::fuse
