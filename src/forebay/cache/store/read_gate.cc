#include "forebay/cache/store/read_gate.h"

#include <algorithm>

namespace forebay::cache {
namespace {

constexpr uint64_t kTurnsOfUrgent = 8;  // the last of them is for those that are less urgent
constexpr uint64_t kTurnsOfAll = 16;    // the last of them is for the least urgent

}  // namespace

void ReadGate::enter(uint64_t bytes, storage::Priority priority, Entrant go) {
  bool goes_now = false;
  {
    const MutexLock lock(mutex_);
    goes_now = is_empty() && has_room(bytes);
    if (goes_now) {
      count_in(bytes);
    } else {
      waiting_[static_cast<size_t>(priority)].push_back({bytes, std::move(go)});
    }
  }
  if (goes_now) {
    go(Ticket(shared_from_this(), bytes));
  } else {
    let_others_in();
  }
}

size_t ReadGate::waiting() const {
  const MutexLock lock(mutex_);
  size_t all = 0;
  for (const Queue& queue : waiting_) {
    all += queue.size();
  }
  return all;
}

bool ReadGate::is_empty() const {
  return std::ranges::all_of(waiting_, [](const Queue& queue) { return queue.empty(); });
}

ReadGate::Queue* ReadGate::next_queue() {
  std::array<Queue*, storage::kPriorities> queues{};
  size_t count = 0;
  for (Queue& queue : waiting_) {
    if (!queue.empty()) {
      queues[count++] = &queue;
    }
  }
  if (count == 0) {
    return nullptr;
  }
  const bool is_for_last = turns_ % kTurnsOfAll == kTurnsOfAll - 1;
  const bool is_for_second = turns_ % kTurnsOfUrgent == kTurnsOfUrgent - 1;
  const size_t place = is_for_last ? count - 1 : (is_for_second ? 1 : 0);
  return queues[std::min(place, count - 1)];
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
  Queue* const queue = next_queue();
  if (is_letting_in_ || queue == nullptr || !has_room(queue->front().bytes)) {
    return false;
  }
  is_letting_in_ = true;
  ++turns_;
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
