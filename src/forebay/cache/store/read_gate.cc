#include "forebay/cache/store/read_gate.h"

#include <algorithm>

namespace forebay::cache {

void ReadGate::enter(uint64_t bytes, storage::Priority priority, Entrant go) {
  {
    const MutexLock lock(mutex_);
    if (is_behind_others(priority) || !has_room(bytes)) {
      waiting_[static_cast<size_t>(priority)].push_back({bytes, std::move(go)});
      return;
    }
    count_in(bytes);
  }
  go(Ticket(shared_from_this(), bytes));
}

size_t ReadGate::waiting() const {
  const MutexLock lock(mutex_);
  size_t all = 0;
  for (const Queue& queue : waiting_) {
    all += queue.size();
  }
  return all;
}

bool ReadGate::is_behind_others(storage::Priority priority) const {
  const auto end = waiting_.begin() + static_cast<ptrdiff_t>(priority) + 1;
  return std::any_of(waiting_.begin(), end, [](const Queue& queue) { return !queue.empty(); });
}

bool ReadGate::has_room(uint64_t bytes) const {
  if (inside_ == 0) {
    return true;
  }
  const uint64_t taken = inside_bytes_ + held_bytes_();
  return taken < most_bytes_ && bytes <= most_bytes_ - taken;
}

void ReadGate::count_in(uint64_t bytes) {
  ++inside_;
  inside_bytes_ += bytes;
}

void ReadGate::leave(uint64_t bytes) {
  {
    const MutexLock lock(mutex_);
    --inside_;
    inside_bytes_ -= bytes;
  }
  let_others_in();
}

bool ReadGate::take_next(Waiting* next) {
  const MutexLock lock(mutex_);
  const auto queue = std::ranges::find_if(waiting_, [](const Queue& each) { return !each.empty(); });
  if (is_letting_in_ || queue == waiting_.end() || !has_room(queue->front().bytes)) {
    return false;
  }
  is_letting_in_ = true;
  *next = std::move(queue->front());
  queue->pop_front();
  count_in(next->bytes);
  return true;
}

// A read that is answered at once leaves within its own turn; the loop, not a recursion, lets the next one
// in.
void ReadGate::let_others_in() {
  for (Waiting next; take_next(&next); next = Waiting()) {
    next.go(Ticket(shared_from_this(), next.bytes));
    const MutexLock lock(mutex_);
    is_letting_in_ = false;
  }
}

}  // namespace forebay::cache
