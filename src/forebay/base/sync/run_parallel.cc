#include "forebay/base/sync/run_parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "forebay/base/sync/mutex.h"

namespace forebay {
namespace {

constexpr size_t kThreads = 16;

class Bodies {
 public:
  Bodies(size_t count, const std::function<void(size_t)>& body) : count_(count), body_(body) {}

  void run() {
    for (size_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) {
      try {
        body_(i);
      } catch (...) {
        const MutexLock lock(mutex_);
        exception_ = std::current_exception();
      }
    }
  }

  /// Throws an exception of the bodies, if there was one.
  void rethrow() {
    const MutexLock lock(mutex_);
    if (exception_) {
      std::rethrow_exception(exception_);
    }
  }

 private:
  const size_t count_;
  const std::function<void(size_t)>& body_;
  std::atomic<size_t> next_{0};
  Mutex mutex_;
  std::exception_ptr exception_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace

void run_parallel(size_t count, const std::function<void(size_t)>& body) {
  Bodies bodies(count, body);
  {
    std::vector<std::jthread> others;
    others.reserve(kThreads);
    while (others.size() + 1 < std::min(count, kThreads)) {
      try {
        others.emplace_back([&bodies] { bodies.run(); });
      } catch (const std::system_error&) {
        break;  // no more threads: the existing ones do the work
      }
    }
    bodies.run();
  }
  bodies.rethrow();
}

}  // namespace forebay
