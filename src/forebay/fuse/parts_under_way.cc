#include "forebay/fuse/parts_under_way.h"

#include <utility>

namespace forebay::fuse {

Status PartsUnderWay::State::wait_for_room(size_t most) {
  UniqueMutexLock lock(mutex);
  changed.wait(lock.native(), [&]() FOREBAY_REQUIRES(mutex) { return under_way < most; });
  return first_error;
}

void PartsUnderWay::State::note_end(const Status& status) {
  const MutexLock lock(mutex);
  --under_way;
  first_error.Update(status);
  changed.notify_all();
}

Status PartsUnderWay::add(storage::ObjectWriter& writer, std::vector<std::byte> part, size_t most,
                          const storage::CallContext& context) {
  FOREBAY_RETURN_IF_ERROR(state_->wait_for_room(most));
  {
    const MutexLock lock(state_->mutex);
    ++state_->under_way;
  }
  const auto kept = std::make_shared<std::vector<std::byte>>(std::move(part));
  writer.append(*kept, context, [state = state_, kept](const Status& status) { state->note_end(status); });
  return ok_status();
}

Status PartsUnderWay::finish() {
  return state_->wait_for_room(1);
}

}  // namespace forebay::fuse
