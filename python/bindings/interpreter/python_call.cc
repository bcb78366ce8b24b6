#include "bindings/interpreter/python_call.h"

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace forebay::bindings {
/// Calls into Python that are under way.
struct CallCount {
  std::mutex mutex;
  std::condition_variable none;
  int running = 0;
};

namespace {

std::atomic<CallCount*> counts = nullptr;

/// Calls of a parent's threads are none of a forked child's. Threads may outlive the statics, so it stays.
void count_anew() {
  counts.store(new CallCount);
}

[[maybe_unused]] const bool counts_anew_in_children = [] {
  count_anew();
  return pthread_atfork(nullptr, nullptr, &count_anew) == 0;
}();

CallCount* call_count() {
  return counts.load();
}

/// A record lives until as many calls have released it as ensured it: this is one that ends with the thread.
class ThreadRecord {
 public:
  ThreadRecord() : is_kept_(PyGILState_GetThisThreadState() == nullptr) {
    if (is_kept_) {
      PyGILState_Ensure();
      PyEval_SaveThread();
    }
  }
  ~ThreadRecord() {
    if (!is_kept_) {
      return;
    }
    if (const GilEntry gil; gil) {
      PyGILState_Release(PyGILState_LOCKED);
    }
  }
  ThreadRecord(const ThreadRecord&) = delete;
  ThreadRecord& operator=(const ThreadRecord&) = delete;

 private:
  const bool is_kept_;
};

}  // namespace

void keep_thread_record() {
  thread_local const ThreadRecord record;
}

CountedCall::CountedCall() : count_(call_count()) {
  const std::lock_guard lock(count_->mutex);
  ++count_->running;
}

CountedCall::~CountedCall() {
  if (count_ != call_count()) {
    return;  // it has forked, and this is the child
  }
  const std::lock_guard lock(count_->mutex);
  if (--count_->running == 0) {
    count_->none.notify_all();
  }
}

bool wait_for_calls(std::chrono::milliseconds most, const std::function<bool()>& give_up) {
  const auto end = std::chrono::steady_clock::now() + most;
  CallCount& count = *call_count();
  std::unique_lock lock(count.mutex);
  while (count.running > 0 && std::chrono::steady_clock::now() < end) {
    count.none.wait_for(lock, std::chrono::milliseconds(20));
    lock.unlock();
    const bool gives_up = give_up();
    lock.lock();
    if (gives_up) {
      break;
    }
  }
  return count.running == 0;
}

}  // namespace forebay::bindings
