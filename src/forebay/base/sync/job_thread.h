// Threads with a queue of jobs: what takes long runs there in the order in which it came, and holds nobody
// up.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"

namespace forebay {

/// Thread safe. Not usable in a forked child, where its destructor leaves everything to the parent's thread.
class JobThread {
 public:
  using Job = absl::AnyInvocable<void()>;
  using Refusal = absl::AnyInvocable<void(const Status&)>;

  /// At most `max_waiting` jobs wait; `what` names them in errors: "loads of models". Of several threads each
  /// takes the next job when it has none. Throws std::system_error where no thread can be started.
  JobThread(size_t max_waiting, std::string what, size_t threads = 1);
  ~JobThread();
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  /// resource_exhausted if too many wait; unavailable after stop(). `job` must not throw. `refused` is called
  /// in its place if refuse_waiting() drops it; null: it is dropped without a word.
  Status add(Job job, Refusal refused = nullptr);
  /// Takes no more jobs, and drops those that have not begun; their refusals are called here.
  void refuse_waiting();
  /// Takes no more jobs, and returns when those that it has are done, whoever called it first. Not from a
  /// job. Nothing in a forked child.
  void stop();
  bool is_forked_copy() const;

 private:
  struct Waiting {
    Job job;
    Refusal refused;
  };

  Status stopped_error() const;
  void end_threads();

  /// What the threads use. In a forked child it stays: a thread waits there for ever.
  struct State {
    Mutex mutex;
    std::condition_variable changed;
    std::deque<Waiting> waiting FOREBAY_GUARDED_BY(mutex);
    bool is_stopping FOREBAY_GUARDED_BY(mutex) = false;
    Mutex ending;  // held while the threads are waited for
    std::vector<std::thread> threads FOREBAY_GUARDED_BY(ending);
  };

  static void run(State& state);

  const size_t max_waiting_;
  const std::string what_;
  const pid_t owner_;
  std::unique_ptr<State> state_;
};

}  // namespace forebay
