#include "forebay/engine/graph/run_ahead.h"

namespace forebay::engine {

bool RunAhead::has_room_for(const Task& task) const {
  return (kibibytes_ + task.kibibytes) * 1024 <= lane_.options.run_ahead_bytes;
}

bool RunAhead::must_hold(const Task& task) const {
  const bool others_go_on = lane_.queued > 0 || lane_.running > 0;
  return others_go_on && &task != lane_.first && !has_room_for(task);
}

void RunAhead::hold(Task& task) {
  task.state = TaskState::kHeld;
  held_.add(task);
}

Task* RunAhead::next() const {
  if (held_.is_empty() || must_hold(*held_.top())) {
    return nullptr;
  }
  return held_.top();
}

void RunAhead::add(const Task& task) {
  if (&task != lane_.first) {
    taken_.push({task.id, task.kibibytes});
    kibibytes_ += task.kibibytes;
  }
}

void RunAhead::drop_passed() {
  while (!taken_.empty() && (lane_.first == nullptr || taken_.top().id <= lane_.first->id)) {
    kibibytes_ -= taken_.top().kibibytes;
    taken_.pop();
  }
}

}  // namespace forebay::engine
