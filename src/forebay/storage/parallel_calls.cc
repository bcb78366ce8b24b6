#include "forebay/storage/parallel_calls.h"

#include <atomic>
#include <future>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include "forebay/base/sync/mutex.h"
#include "forebay/base/sync/run_parallel.h"
#include "forebay/storage/interruptible_waits.h"

namespace forebay::storage {
namespace {

class ParallelCalls {
 public:
  ParallelCalls(size_t count, const std::function<Status(size_t)>& body, std::stop_token interrupted)
      : count_(count), body_(body), interrupted_(std::move(interrupted)), first_failed_(count) {}

  void run() {
    run_parallel(count_, [this](size_t i) {
      if (interrupted_.stop_requested() || i > first_failed_.load()) {
        return;
      }
      std::optional<InterruptibleWaits> waits;
      if (interrupted_.stop_possible()) {
        waits.emplace([this] { return interrupted_.stop_requested(); });
      }
      try {
        note(i, body_(i));
      } catch (...) {
        note(i, internal_error("an exception"));  // which run_parallel() throws again
        throw;
      }
    });
  }

  Status status() const {
    const MutexLock lock(mutex_);
    if (interrupted_.stop_requested()) {
      return cancelled("interrupted");
    }
    return error_;
  }

 private:
  void note(size_t i, Status status) {
    const MutexLock lock(mutex_);
    if (!status.ok() && i < first_failed_.load()) {
      first_failed_.store(i);
      error_ = std::move(status);
    }
  }

  const size_t count_;
  const std::function<Status(size_t)>& body_;
  const std::stop_token interrupted_;
  mutable Mutex mutex_;
  std::atomic<size_t> first_failed_;  // changed with mutex_ held
  Status error_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace

Status run_parallel_calls(size_t count, const std::function<Status(size_t)>& body) {
  WaitedCall all({});
  ParallelCalls calls(count, body, all.context().cancellation);
  if (!all.time_between_looks()) {
    calls.run();
    return calls.status();
  }
  std::packaged_task<void()> work([&calls] { calls.run(); });
  std::future<void> end = work.get_future();
  std::jthread runner;
  try {
    runner = std::jthread(std::ref(work));  // this thread is the one that hears of an interruption
  } catch (const std::system_error&) {
    work();  // no more threads, so that an interruption is not heard
  }
  while (end.wait_for(*all.time_between_looks()) != std::future_status::ready) {
    all.look();
  }
  end.get();
  return calls.status();
}

}  // namespace forebay::storage
