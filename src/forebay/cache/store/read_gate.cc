#include "forebay/cache/store/read_gate.h"

namespace forebay::cache {

void ReadGate::enter(uint64_t bytes, Entrant go) {
  {
    const MutexLock lock(mutex_);
    if (!waiting_.empty() || !has_room(bytes)) {
      waiting_.push_back({bytes, std::move(go)});
      return;
    }
    count_in(bytes);
  }
  go(Ticket(shared_from_this(), bytes));
}

size_t ReadGate::waiting() const {
  const MutexLock lock(mutex_);
  return waiting_.size();
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
  if (is_letting_in_ || waiting_.empty() || !has_room(waiting_.front().bytes)) {
    return false;
  }
  is_letting_in_ = true;
  *next = std::move(waiting_.front());
  waiting_.pop_front();
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
