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

RateLimiter::Gate::Gate(RateLimits limits, Timer& timer, LimitPlaces places)
    : timer_(timer),
      is_shared_(places.bytes != nullptr),
      requests_(limits.requests_per_second, std::max(limits.requests_per_second * kGathersForSeconds, 1.0),
                std::move(places.requests)),
      bytes_(limits.bytes_per_second, limits.bytes_per_second * kGathersForSeconds, std::move(places.bytes)) {
}

bool RateLimiter::Gate::is_open(int64_t now_ns) {
  return requests_.ready_ns(now_ns) <= now_ns && bytes_.ready_ns(now_ns) <= now_ns;
}

/// The most urgent queue in which something waits; null if nothing does.
RateLimiter::Gate::Queue* RateLimiter::Gate::first_waiting() {
  const auto found =
      std::find_if(queues_.begin(), queues_.end(), [](const Queue& queue) { return !queue.empty(); });
  return found == queues_.end() ? nullptr : &*found;
}

void RateLimiter::Gate::charge(uint64_t bytes, int64_t now_ns) {
  requests_.take(1, now_ns);
  const auto expected = static_cast<double>(bytes);
  const double taken =
      is_shared_ ? std::min(expected, bytes_.takes_within(RateLimiter::kMostExpectedNs, now_ns)) : expected;
  bytes_.take(taken, now_ns);
  unpaid_bytes_ += expected - taken;
}

void RateLimiter::Gate::pass(uint64_t bytes, const CallContext& context, Go go) {
  const int64_t now_ns = timer_.now_ns();
  bool goes_at_once = false;
  {
    const MutexLock lock(mutex_);
    const auto own = queues_.begin() + static_cast<ptrdiff_t>(context.priority);
    const bool is_first =
        std::all_of(queues_.begin(), own + 1, [](const Queue& queue) { return queue.empty(); });
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
    queues_[static_cast<size_t>(context.priority)].push_back(std::move(waiting));
    set_timer(now_ns);
  }
  if (context.cancellation.stop_requested()) {
    Look{weak_from_this()}();  // the first look may have been too early
  }
}

void RateLimiter::Gate::correct(uint64_t expected_bytes, uint64_t moved_bytes) {
  const MutexLock lock(mutex_);
  const auto expected = static_cast<double>(expected_bytes);
  const double unpaid = std::min(expected, unpaid_bytes_);
  unpaid_bytes_ -= unpaid;
  bytes_.take(static_cast<double>(moved_bytes) - (expected - unpaid), timer_.now_ns());
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
    Queue* const queue = first_waiting();
    if (queue == nullptr) {
      return;
    }
    charge(queue->front()->bytes, now_ns);
    taken->push_back(std::move(queue->front()));
    queue->pop_front();
  }
}

int64_t RateLimiter::Gate::next_look_ns(int64_t now_ns) {
  int64_t look_ns = std::max(requests_.ready_ns(now_ns), bytes_.ready_ns(now_ns));
  for (const Queue& queue : queues_) {
    for (const std::shared_ptr<Waiting>& waiting : queue) {
      look_ns = std::min(look_ns, waiting->context.deadline_ns);
    }
  }
  return look_ns;
}

void RateLimiter::Gate::set_timer(int64_t now_ns) {
  if (first_waiting() == nullptr) {
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
    for (Queue& queue : queues_) {
      take_unwanted(&queue, &unwanted, now_ns);
    }
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

RateLimiter::RateLimiter(RateLimits limits, Timer& timer, LimitPlaces places)
    : gate_([limits, &timer, places] { return std::make_shared<Gate>(limits, timer, places); }) {
}

void RateLimiter::pass(uint64_t bytes, const CallContext& context, Go go) {
  gate_.get()->pass(bytes, context, std::move(go));
}

void RateLimiter::correct(uint64_t expected_bytes, uint64_t moved_bytes) {
  gate_.get()->correct(expected_bytes, moved_bytes);
}

}  // namespace forebay::storage
