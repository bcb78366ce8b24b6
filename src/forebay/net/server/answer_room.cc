// Who may begin, who waits, and how long answers of a kind are.
#include "forebay/net/server/answer_room.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/log/log.h"

namespace forebay::net {

AnswerRoom::Place& AnswerRoom::Place::operator=(Place&& other) noexcept {
  std::swap(room_, other.room_);
  std::swap(kind_, other.kind_);
  return *this;
}

void AnswerRoom::Place::leave(const uint64_t* answer_bytes) {
  if (const std::shared_ptr<AnswerRoom> room = std::exchange(room_, nullptr)) {
    const Status left = caught([&] {
      room->leave(kind_, answer_bytes);
      return ok_status();
    });
    if (!left.ok()) {  // without memory: who waits begins with the clock
      log_warning("the HTTP server could not tell that there is room: {}", message(left));
    }
  }
}

// One whose answers alone fill the room begins when little else lies.
bool AnswerRoom::has_room(const Kind& kind) const {
  const uint64_t bytes = kind.bytes.value_or(0);
  const uint64_t most = limits_.bytes - limits_.bytes / 16;
  return bytes <= kSmallBytes || lying_bytes_ + coming_bytes_ + std::min(bytes, most) <= limits_.bytes;
}

AnswerRoom::Place AnswerRoom::take_place(const std::string& name, Kind& kind) {
  Place place(shared_from_this(), name);
  ++kind.under_way;
  coming_bytes_ += kind.bytes.value_or(0);
  return place;
}

std::optional<AnswerRoom::Place> AnswerRoom::enter(const std::string& name, int64_t now_ns, Begin begin) {
  const MutexLock lock(mutex_);
  if (kinds_.size() >= kMaxKinds && !kinds_.contains(name)) {
    return Place();
  }
  Kind& kind = kinds_[name];
  std::deque<Waiting>& turn = kind.bytes ? waiting_ : kind.first;
  const bool is_small = kind.bytes && *kind.bytes <= kSmallBytes;
  const bool may_begin = kind.bytes ? has_room(kind) : kind.under_way < kFirstAtOnce;
  if (is_small || (may_begin && turn.empty())) {
    return take_place(name, kind);
  }
  if (!is_closed_) {
    turn.push_back({name, now_ns, std::move(begin)});
  }
  return std::nullopt;
}

void AnswerRoom::begin_all(std::vector<Due> due) {
  for (Due& next : due) {
    next.begin(std::move(next.place));
  }
}

void AnswerRoom::take_due(std::deque<Waiting>& waiting, std::vector<Due>& due) {
  Waiting& first = waiting.front();
  due.emplace_back();  // before a place is taken, which cannot be left under the lock
  due.back().place = take_place(first.kind, kinds_[first.kind]);
  due.back().begin = std::move(first.begin);
  waiting.pop_front();
}

void AnswerRoom::take_all_due(std::vector<Due>& due) {
  while (!waiting_.empty() && has_room(kinds_[waiting_.front().kind])) {
    take_due(waiting_, due);
  }
}

void AnswerRoom::look(int64_t now_ns) {
  std::vector<Due> due;
  {
    const MutexLock lock(mutex_);
    while (!waiting_.empty() && now_ns - waiting_.front().since_ns >= limits_.longest_wait_ns) {
      take_due(waiting_, due);
    }
    for (auto& [name, kind] : kinds_) {
      while (!kind.first.empty() && now_ns - kind.first.front().since_ns >= limits_.longest_first_wait_ns) {
        take_due(kind.first, due);
      }
    }
    take_all_due(due);
  }
  begin_all(std::move(due));
}

// The longest lately, so that one short answer among long ones is not taken for all.
void AnswerRoom::learn(Kind& kind, uint64_t answer_bytes) {
  const uint64_t before = kind.bytes.value_or(0);
  kind.bytes = std::max(answer_bytes, before - before / 8);
  coming_bytes_ -= kind.under_way * before;
  coming_bytes_ += kind.under_way * *kind.bytes;
  for (Waiting& waiting : kind.first) {
    waiting_.push_back(std::move(waiting));
  }
  kind.first.clear();
}

void AnswerRoom::leave(const std::string& name, const uint64_t* answer_bytes) {
  std::vector<Due> due;
  {
    const MutexLock lock(mutex_);
    const auto found = kinds_.find(name);
    Kind& kind = found->second;
    --kind.under_way;
    coming_bytes_ -= kind.bytes.value_or(0);
    if (answer_bytes != nullptr) {
      learn(kind, *answer_bytes);
    } else if (!kind.bytes && !kind.first.empty()) {
      take_due(kind.first, due);
    } else if (!kind.bytes && kind.under_way == 0) {
      kinds_.erase(found);
    }
    take_all_due(due);
  }
  begin_all(std::move(due));
}

void AnswerRoom::close() {
  std::deque<Waiting> dropped;  // what they own must not end under the lock
  const MutexLock lock(mutex_);
  is_closed_ = true;
  dropped.swap(waiting_);
  for (auto& [name, kind] : kinds_) {
    std::move(kind.first.begin(), kind.first.end(), std::back_inserter(dropped));
    kind.first.clear();
  }
}

bool AnswerRoom::add(uint64_t bytes) {
  const MutexLock lock(mutex_);
  const bool fits = lying_bytes_ / 2 + bytes / 2 <= limits_.bytes;
  if (lying_bytes_ > 0 && bytes > kSmallBytes && !fits) {
    return false;
  }
  lying_bytes_ += bytes;
  return true;
}

void AnswerRoom::remove(uint64_t bytes) {
  std::vector<Due> due;
  {
    const MutexLock lock(mutex_);
    lying_bytes_ -= bytes;
    take_all_due(due);
  }
  begin_all(std::move(due));
}

uint64_t AnswerRoom::lying_bytes() const {
  const MutexLock lock(mutex_);
  return lying_bytes_;
}

size_t AnswerRoom::waiting() const {
  const MutexLock lock(mutex_);
  size_t count = waiting_.size();
  for (const auto& [name, kind] : kinds_) {
    count += kind.first.size();
  }
  return count;
}

}  // namespace forebay::net
