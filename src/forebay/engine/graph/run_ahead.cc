#include "forebay/engine/graph/run_ahead.h"

namespace forebay::engine {

bool RunAhead::has_room_for(const Task& task) const {
  return (kibibytes_ + task.kibibytes) * 1024 <= lane_.options.run_ahead_bytes;
}

bool RunAhead::must_hold(const Task& task, bool others_go_on) const {
  return others_go_on && &task != lane_.first && !has_room_for(task);
}

void RunAhead::hold(Task& task) {
  task.state = TaskState::kHeld;
  held_.add(task);
}

Task* RunAhead::next(bool others_go_on) const {
  if (held_.is_empty() || must_hold(*held_.top(), others_go_on)) {
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
