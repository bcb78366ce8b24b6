#include "bindings/python_call.h"

#include <condition_variable>
#include <mutex>

namespace forebay::bindings {
namespace {

/// Calls into Python that are under way.
struct CallCount {
  std::mutex mutex;
  std::condition_variable none;
  int running = 0;
};

CallCount& call_count() {
  static auto* count = new CallCount;  // threads may outlive the statics
  return *count;
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

CountedCall::CountedCall() {
  const std::lock_guard lock(call_count().mutex);
  ++call_count().running;
}

CountedCall::~CountedCall() {
  const std::lock_guard lock(call_count().mutex);
  if (--call_count().running == 0) {
    call_count().none.notify_all();
  }
}

bool wait_for_calls(std::chrono::milliseconds most, const std::function<bool()>& give_up) {
  const auto end = std::chrono::steady_clock::now() + most;
  std::unique_lock lock(call_count().mutex);
  while (call_count().running > 0 && std::chrono::steady_clock::now() < end) {
    call_count().none.wait_for(lock, std::chrono::milliseconds(20));
    lock.unlock();
    const bool gives_up = give_up();
    lock.lock();
    if (gives_up) {
      break;
    }
  }
  return call_count().running == 0;
}

}  // namespace forebay::bindings
