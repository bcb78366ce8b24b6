#include "forebay/base/sync/timer.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <thread>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"

namespace forebay {

struct ThreadTimer::Running {
  using Place = std::pair<int64_t, Id>;  // when, then the order of the calls

  const pid_t owner = ::getpid();
  Mutex mutex;
  std::condition_variable changed;
  std::map<Place, absl::AnyInvocable<void()>> waiting FOREBAY_GUARDED_BY(mutex);
  std::map<Id, int64_t> times FOREBAY_GUARDED_BY(mutex);
  Id next_id FOREBAY_GUARDED_BY(mutex) = 1;
  bool is_stopping FOREBAY_GUARDED_BY(mutex) = false;
  std::thread thread{[this] { run(); }};  // last: it uses all of the above

  bool is_forked_copy() const { return ::getpid() != owner; }
  Id add(int64_t when_ns, absl::AnyInvocable<void()> then);
  void hurry(Id id);
  void run();
  void stop();
};

Timer::Id ThreadTimer::Running::add(int64_t when_ns, absl::AnyInvocable<void()> then) {
  const MutexLock lock(mutex);
  const Id id = next_id++;
  waiting.emplace(Place(when_ns, id), std::move(then));
  times.emplace(id, when_ns);
  changed.notify_one();
  return id;
}

void ThreadTimer::Running::hurry(Id id) {
  const MutexLock lock(mutex);
  const auto time = times.find(id);
  if (time == times.end()) {
    return;
  }
  auto node = waiting.extract(Place(time->second, id));
  time->second = 0;
  node.key().first = 0;
  waiting.insert(std::move(node));
  changed.notify_one();
}

void ThreadTimer::Running::run() {
  UniqueMutexLock lock(mutex);
  while (!is_stopping) {
    if (waiting.empty()) {
      changed.wait(lock.native());
      continue;
    }
    const int64_t left_ns = waiting.begin()->first.first - steady_clock().now_ns();
    if (left_ns > 0) {
      changed.wait_for(lock.native(), std::chrono::nanoseconds(left_ns));
      continue;
    }
    auto due = waiting.extract(waiting.begin());
    times.erase(due.key().second);
    lock.unlock();
    due.mapped()();
    due.mapped() = nullptr;
    lock.lock();
  }
}

void ThreadTimer::Running::stop() {
  {
    const MutexLock lock(mutex);
    is_stopping = true;
    changed.notify_one();
  }
  thread.join();
}

ThreadTimer::~ThreadTimer() {
  Running* const running = running_.exchange(nullptr);
  if (running != nullptr && !running->is_forked_copy()) {
    running->stop();
    delete running;
  }
}

int64_t ThreadTimer::now_ns() const {
  return steady_clock().now_ns();
}

// Without a lock, which a fork could leave locked.
ThreadTimer::Running& ThreadTimer::running() {
  Running* current = running_.load(std::memory_order_acquire);
  while (current == nullptr || current->is_forked_copy()) {
    auto fresh = std::make_unique<Running>();
    if (running_.compare_exchange_strong(current, fresh.get(), std::memory_order_acq_rel)) {
      return *fresh.release();
    }
    fresh->stop();
  }
  return *current;
}

Timer::Id ThreadTimer::at(int64_t when_ns, absl::AnyInvocable<void()> then) {
  return running().add(when_ns, std::move(then));
}

void ThreadTimer::hurry(Id id) {
  Running* const current = running_.load(std::memory_order_acquire);
  if (current != nullptr && !current->is_forked_copy()) {
    current->hurry(id);
  }
}

Timer& process_timer() {
  static auto* const timer = new ThreadTimer();
  return *timer;
}

}  // namespace forebay
