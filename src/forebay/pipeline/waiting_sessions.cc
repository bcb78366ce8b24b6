#include "forebay/pipeline/waiting_sessions.h"

#include <algorithm>

#include "forebay/base/sync/fork.h"
#include "forebay/base/sync/mutex.h"

namespace forebay::pipeline {
namespace {

thread_local UserWork* innermost_work = nullptr;

struct Wait {
  SessionBatch waiting;
  SessionBatch awaited;
};

/// The waits of all threads of the process.
class Waits {
 public:
  Waits() { keep_usable_in_child(mutex_.native()); }

  /// Whether `from` needs what is done for one of `ends`, over any number of waits. If not, adds the waits of
  /// all `ends` for `from`.
  bool adds_to_ring(const std::vector<SessionBatch>& ends, const SessionBatch& from) {
    const MutexLock lock(mutex_);
    std::vector<SessionBatch> reached = {from};
    for (size_t next = 0; next < reached.size(); ++next) {
      if (std::ranges::any_of(ends, [&](const SessionBatch& end) { return reached[next].needs(end); })) {
        return true;
      }
      for (const Wait& wait : waits_) {
        if (reached[next].needs(wait.waiting) && std::ranges::find(reached, wait.awaited) == reached.end()) {
          reached.push_back(wait.awaited);
        }
      }
    }
    waits_.reserve(waits_.size() + ends.size());  // all or none: who is refused memory waits for nobody
    for (const SessionBatch& end : ends) {
      waits_.push_back({end, from});
    }
    return false;
  }

  void remove(const std::vector<SessionBatch>& ends, const SessionBatch& awaited) {
    const MutexLock lock(mutex_);
    for (const SessionBatch& end : ends) {
      const auto found = std::ranges::find_if(
          waits_, [&](const Wait& wait) { return wait.waiting == end && wait.awaited == awaited; });
      if (found != waits_.end()) {
        waits_.erase(found);
      }
    }
  }

 private:
  Mutex mutex_;
  std::vector<Wait> waits_ FOREBAY_GUARDED_BY(mutex_);
};

Waits& waits_of_sessions = *new Waits;  // never destroyed: sessions may run until the process ends

}  // namespace

UserWork::UserWork(SessionBatch batch) : batch_(batch), outer_(innermost_work) {
  innermost_work = this;
}

UserWork::~UserWork() {
  innermost_work = outer_;
}

BatchWait::BatchWait(SessionBatch awaited) : awaited_(awaited) {
  for (const UserWork* work = innermost_work; work != nullptr; work = work->outer_) {
    waiting_.push_back(work->batch_);
  }
  if (!waiting_.empty() && waits_of_sessions.adds_to_ring(waiting_, awaited_)) {
    waiting_.clear();
    status_ = failed_precondition(
        "a source or function of a pipeline asks another pipeline for a batch, for which that waits, over "
        "its own "
        "sources or functions, for this very source or function: none of them would ever go on; let one of "
        "the "
        "pipelines take its data from elsewhere");
  }
}

BatchWait::~BatchWait() {
  if (!waiting_.empty()) {
    waits_of_sessions.remove(waiting_, awaited_);
  }
}

}  // namespace forebay::pipeline
