// A thread that changes one directory, or several that look at it, and the queue of what they have to do.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/sync/mutex.h"

namespace forebay::cache {

/// Thread safe. The thread starts with the first job, another one where all are busy and more are allowed.
/// Where the process may have no more threads, jobs wait for the next one, start_if_needed(), flush(), help()
/// or the destructor; the last three do them on their own thread.
class DiskWorker {
 public:
  using Job = absl::AnyInvocable<void()>;

  explicit DiskWorker(size_t most_threads = 1) : most_threads_(most_threads) {}
  /// Does what is queued first. Must not be called by a job, unless it is the thread's own: that one goes on
  /// alone.
  ~DiskWorker();

  /// Names a job for take_back().
  using Ticket = uint64_t;

  /// Never waits. Jobs begin in order, and may overlap if there are several threads or others help.
  Ticket add(Job job, uint64_t bytes);
  /// Tries again to start the thread, where that failed and jobs wait.
  void start_if_needed();
  /// The job, if it has not begun: it will not be done. The caller destroys it without locks that it takes.
  Job take_back(Ticket ticket);
  /// Whether there is a thread, so that what was added will be done.
  bool has_thread() const;
  /// Does queued jobs on the calling thread until those that wait stand for at most `most_bytes`.
  void help(uint64_t most_bytes);
  /// Waits until all that was added before is done, and for nothing that was added later.
  void flush();
  /// Waits until the job and all that were added before it are done or taken back.
  void await(Ticket ticket);

 private:
  struct Waiting {
    Ticket ticket;
    Job job;  // null once it was taken back
    uint64_t bytes;
  };
  /// Outlives the worker if a job drops the last owner.
  struct State {
    Mutex mutex;
    std::condition_variable changed;
    std::deque<Waiting> jobs FOREBAY_GUARDED_BY(mutex);
    uint64_t bytes FOREBAY_GUARDED_BY(mutex) = 0;
    Ticket next_ticket FOREBAY_GUARDED_BY(mutex) = 0;
    size_t taken_back FOREBAY_GUARDED_BY(mutex) = 0;  // jobs in the queue that are null
    std::vector<Ticket> running FOREBAY_GUARDED_BY(mutex);
    bool is_stopping FOREBAY_GUARDED_BY(mutex) = false;

    // The analysis does not follow a lock that is handed on.
    void run_one(UniqueMutexLock& lock) FOREBAY_NO_THREAD_SAFETY_ANALYSIS;
    void run();
    bool has_done_all_before(Ticket ticket) const FOREBAY_REQUIRES(mutex);
  };

  void start_thread() FOREBAY_REQUIRES(state_->mutex);
  void await_before(Ticket end, UniqueMutexLock& lock) FOREBAY_NO_THREAD_SAFETY_ANALYSIS;

  const size_t most_threads_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  std::vector<std::thread> threads_ FOREBAY_GUARDED_BY(state_->mutex);
};

}  // namespace forebay::cache
