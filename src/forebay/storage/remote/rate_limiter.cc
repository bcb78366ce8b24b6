#include "forebay/storage/remote/rate_limiter.h"

#include <unistd.h>

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
void RateLimiter::Gate::Stop::operator()() const {
  const std::shared_ptr<Gate> self = gate.lock();
  const WaitingRef stopped = waiting.lock();
  if (!self || !stopped || self->process_ != ::getpid()) {
    return;
  }
  {
    const MutexLock lock(self->mutex_);
    self->stopped_.push_back(stopped);
  }
  self->timer_.at(0, [self] { self->serve(); });
}

RateLimiter::Gate::Gate(RateLimits limits, Timer& timer, LimitPlaces places)
    : timer_(timer),
      process_(::getpid()),
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
      is_shared_ ? std::min(expected, bytes_.takes_within(RateLimiter::kMaxExpectedNs, now_ns)) : expected;
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
  const auto waiting = std::make_shared<Waiting>(Waiting{bytes, context, std::move(go)});
  if (context.cancellation.stop_possible()) {
    waiting->on_stop =
        std::make_unique<std::stop_callback<Stop>>(context.cancellation, Stop{weak_from_this(), waiting});
  }
  {
    const MutexLock lock(mutex_);
    put(waiting);
    set_timer(now_ns);
  }
  if (context.cancellation.stop_requested()) {
    Stop{weak_from_this(), waiting}();  // the first look may have been too early
  }
}

void RateLimiter::Gate::correct(uint64_t expected_bytes, uint64_t moved_bytes) {
  const MutexLock lock(mutex_);
  const auto expected = static_cast<double>(expected_bytes);
  const double unpaid = std::min(expected, unpaid_bytes_);
  unpaid_bytes_ -= unpaid;
  bytes_.take(static_cast<double>(moved_bytes) - (expected - unpaid), timer_.now_ns());
}

void RateLimiter::Gate::put(const WaitingRef& waiting) {
  Queue& queue = queues_[static_cast<size_t>(waiting->context.priority)];
  waiting->place = queue.insert(queue.end(), waiting);
  if (waiting->context.deadline_ns != kNoDeadline) {
    waiting->deadline = deadlines_.emplace(waiting->context.deadline_ns, waiting);
  }
  waiting->is_in_queue = true;
}

void RateLimiter::Gate::take(const WaitingRef& waiting, std::vector<WaitingRef>* taken) {
  taken->push_back(waiting);
  waiting->is_in_queue = false;
  if (waiting->deadline) {
    deadlines_.erase(*waiting->deadline);
  }
  queues_[static_cast<size_t>(waiting->context.priority)].erase(waiting->place);
}

void RateLimiter::Gate::take_unwanted(std::vector<WaitingRef>* taken, int64_t now_ns) {
  for (const WaitingRef& waiting : std::exchange(stopped_, {})) {
    if (waiting->is_in_queue) {
      take(waiting, taken);
    }
  }
  while (!deadlines_.empty() && deadlines_.begin()->first <= now_ns) {
    take(WaitingRef(deadlines_.begin()->second), taken);
  }
}

void RateLimiter::Gate::take_ready(std::vector<WaitingRef>* taken, int64_t now_ns) {
  while (is_open(now_ns)) {
    Queue* const queue = first_waiting();
    if (queue == nullptr) {
      return;
    }
    charge(queue->front()->bytes, now_ns);
    take(WaitingRef(queue->front()), taken);
  }
}

int64_t RateLimiter::Gate::next_look_ns(int64_t now_ns) {
  const int64_t look_ns = std::max(requests_.ready_ns(now_ns), bytes_.ready_ns(now_ns));
  return deadlines_.empty() ? look_ns : std::min(look_ns, deadlines_.begin()->first);
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
  std::vector<WaitingRef> unwanted;
  std::vector<WaitingRef> ready;
  {
    const MutexLock lock(mutex_);
    if (look_ns_ <= now_ns) {
      look_ns_ = kNoDeadline;
    }
    take_unwanted(&unwanted, now_ns);
    take_ready(&ready, now_ns);
    set_timer(now_ns);
  }
  for (const WaitingRef& waiting : unwanted) {
    waiting->on_stop.reset();
    waiting->go(status_at(waiting->context, now_ns));
  }
  for (const WaitingRef& waiting : ready) {
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
