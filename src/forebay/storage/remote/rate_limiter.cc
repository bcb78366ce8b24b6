#include "forebay/storage/remote/rate_limiter.h"

#include <algorithm>
#include <utility>

namespace forebay::storage {
namespace {

constexpr double kGathersForSeconds = 1;

Status status_at(const CallContext& context, int64_t now_ns) {
  if (context.cancellation.stop_requested()) {
    return cancelled("the call was cancelled while it waited for the rate limit");
  }
  if (context.deadline_ns <= now_ns) {
    return make_status(StatusCode::kDeadlineExceeded,
                       "the call's deadline passed while it waited for the rate limit");
  }
  return ok_status();
}

}  // namespace

// Not at once: the caller of request_stop() is no thread of ours.
void RateLimiter::Gate::Look::operator()() const {
  if (const std::shared_ptr<Gate> self = gate.lock()) {
    self->timer_.at(0, [self] { self->serve(); });
  }
}

RateLimiter::Gate::Gate(RateLimits limits, Timer& timer)
    : timer_(timer),
      requests_(limits.requests_per_second, std::max(limits.requests_per_second * kGathersForSeconds, 1.0),
                timer.now_ns()),
      bytes_(limits.bytes_per_second, limits.bytes_per_second * kGathersForSeconds, timer.now_ns()) {
}

bool RateLimiter::Gate::is_open(int64_t now_ns) {
  return requests_.ready_ns(now_ns) <= now_ns && bytes_.ready_ns(now_ns) <= now_ns;
}

void RateLimiter::Gate::charge(uint64_t bytes, int64_t now_ns) {
  requests_.take(1, now_ns);
  bytes_.take(static_cast<double>(bytes), now_ns);
}

void RateLimiter::Gate::pass(uint64_t bytes, const CallContext& context, Go go) {
  const int64_t now_ns = timer_.now_ns();
  bool goes_at_once = false;
  {
    const MutexLock lock(mutex_);
    const bool is_first = demand_.empty() && (prefetch_.empty() || context.priority == Priority::kDemand);
    goes_at_once = is_first && is_open(now_ns);
    if (goes_at_once) {
      charge(bytes, now_ns);
    }
  }
  if (goes_at_once) {
    go(ok_status());
    return;
  }
  auto waiting = std::make_shared<Waiting>(Waiting{bytes, context, std::move(go), nullptr});
  if (context.cancellation.stop_possible()) {
    waiting->on_stop =
        std::make_unique<std::stop_callback<Look>>(context.cancellation, Look{weak_from_this()});
  }
  {
    const MutexLock lock(mutex_);
    (context.priority == Priority::kDemand ? demand_ : prefetch_).push_back(std::move(waiting));
    set_timer(now_ns);
  }
  if (context.cancellation.stop_requested()) {
    Look{weak_from_this()}();  // the first look may have been too early
  }
}

void RateLimiter::Gate::correct(uint64_t expected_bytes, uint64_t moved_bytes) {
  const MutexLock lock(mutex_);
  bytes_.take(static_cast<double>(moved_bytes) - static_cast<double>(expected_bytes), timer_.now_ns());
}

void RateLimiter::Gate::take_unwanted(Queue* queue, Queue* taken, int64_t now_ns) {
  const auto gone = std::stable_partition(queue->begin(), queue->end(), [&](const auto& waiting) {
    return status_at(waiting->context, now_ns).ok();
  });
  taken->insert(taken->end(), gone, queue->end());
  queue->erase(gone, queue->end());
}

void RateLimiter::Gate::take_ready(Queue* taken, int64_t now_ns) {
  while (is_open(now_ns)) {
    Queue& queue = demand_.empty() ? prefetch_ : demand_;
    if (queue.empty()) {
      return;
    }
    charge(queue.front()->bytes, now_ns);
    taken->push_back(std::move(queue.front()));
    queue.pop_front();
  }
}

int64_t RateLimiter::Gate::next_look_ns(int64_t now_ns) {
  int64_t look_ns = std::max(requests_.ready_ns(now_ns), bytes_.ready_ns(now_ns));
  for (const Queue* const queue : {&demand_, &prefetch_}) {
    for (const std::shared_ptr<Waiting>& waiting : *queue) {
      look_ns = std::min(look_ns, waiting->context.deadline_ns);
    }
  }
  return look_ns;
}

void RateLimiter::Gate::set_timer(int64_t now_ns) {
  if (demand_.empty() && prefetch_.empty()) {
    return;
  }
  const int64_t look_ns = next_look_ns(now_ns);
  if (look_ns < look_ns_) {
    look_ns_ = look_ns;
    timer_.at(look_ns, [self = shared_from_this()] { self->serve(); });
  }
}

void RateLimiter::Gate::serve() {
  const int64_t now_ns = timer_.now_ns();
  Queue unwanted;
  Queue ready;
  {
    const MutexLock lock(mutex_);
    if (look_ns_ <= now_ns) {
      look_ns_ = kNoDeadline;
    }
    take_unwanted(&demand_, &unwanted, now_ns);
    take_unwanted(&prefetch_, &unwanted, now_ns);
    take_ready(&ready, now_ns);
    set_timer(now_ns);
  }
  for (const std::shared_ptr<Waiting>& waiting : unwanted) {
    waiting->on_stop.reset();
    waiting->go(status_at(waiting->context, now_ns));
  }
  for (const std::shared_ptr<Waiting>& waiting : ready) {
    waiting->on_stop.reset();
    waiting->go(ok_status());
  }
}

RateLimiter::RateLimiter(RateLimits limits, Timer& timer)
    : gate_([limits, &timer] { return std::make_shared<Gate>(limits, timer); }) {
}

void RateLimiter::pass(uint64_t bytes, const CallContext& context, Go go) {
  gate_.get()->pass(bytes, context, std::move(go));
}

void RateLimiter::correct(uint64_t expected_bytes, uint64_t moved_bytes) {
  gate_.get()->correct(expected_bytes, moved_bytes);
}

}  // namespace forebay::storage
