#include "forebay/pipeline/core/waiting_sessions.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/sync/fork.h"
#include "forebay/base/sync/mutex.h"

namespace forebay::pipeline {
namespace {

thread_local UserWork* innermost_work = nullptr;

struct Wait {
  SessionBatch waiting;
  SessionBatch awaited;
};

/// The sessions of a ring, each once. They are there as long as somebody has them here.
using Ring = std::vector<std::shared_ptr<WaitedSession>>;

struct Reached {
  SessionBatch batch;
  size_t from;  // the place of the one whose source or function waits for it
};

bool is_among(const std::vector<Reached>& reached, const SessionBatch& batch) {
  return std::ranges::find(reached, batch, &Reached::batch) != reached.end();
}

/// Each before the one that its source or function waits for: what that wakes goes on with nothing else then.
/// `works`: of the thread that closes the ring; `last` of `reached` needs the outermost of them.
Ring ring_of(const std::vector<SessionBatch>& works, const std::vector<Reached>& reached, size_t last) {
  std::vector<SessionBatch> batches(works.rbegin(), works.rend());
  batches.push_back(reached[last].batch);
  while (last != 0) {
    last = reached[last].from;
    batches.push_back(reached[last].batch);
  }
  Ring ring;
  for (auto batch = batches.rbegin(); batch != batches.rend(); ++batch) {
    std::shared_ptr<WaitedSession> session = batch->session->kept();
    if (std::ranges::find(ring, session) == ring.end()) {
      ring.push_back(std::move(session));
    }
  }
  return ring;
}

/// The waits of all threads of the process.
class Waits {
 public:
  Waits() { keep_usable_in_child(mutex_.native()); }

  /// Returns the sessions of the ring if `from` needs what is done for one of `ends`, over any number of
  /// waits. If not, adds the waits of all `ends` for `from`. `ends`: the innermost first.
  Ring add_or_find_ring(const std::vector<SessionBatch>& ends, const SessionBatch& from) {
    const MutexLock lock(mutex_);
    std::vector<Reached> reached = {{from, 0}};
    for (size_t next = 0; next < reached.size(); ++next) {
      const SessionBatch batch = reached[next].batch;
      const auto end = std::ranges::find_if(ends, [&](const SessionBatch& one) { return batch.needs(one); });
      if (end != ends.end()) {
        return ring_of({ends.begin(), end + 1}, reached, next);
      }
      for (const Wait& wait : waits_) {
        if (batch.needs(wait.waiting) && !is_among(reached, wait.awaited)) {
          reached.push_back({wait.awaited, next});
        }
      }
    }
    waits_.reserve(waits_.size() + ends.size());  // all or none: who is refused memory waits for nobody
    for (const SessionBatch& end : ends) {
      waits_.push_back({end, from});
    }
    return {};
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
  if (waiting_.empty()) {
    return;
  }
  const Ring ring = waits_of_sessions.add_or_find_ring(waiting_, awaited_);
  if (ring.empty()) {
    return;
  }
  waiting_.clear();
  status_ = failed_precondition(
      "a source or function of a pipeline asks another pipeline for a batch, for which that waits, over its "
      "own sources or functions, for this very source or function: none of them would ever go on, so all of "
      "them have ended; let one of the pipelines take its data from elsewhere");
  for (const std::shared_ptr<WaitedSession>& session : ring) {
    caught([&] {
      session->end(status_);
      return ok_status();
    }).IgnoreError();  // out of memory: it is told of the ring again
  }
}

BatchWait::~BatchWait() {
  if (!waiting_.empty()) {
    waits_of_sessions.remove(waiting_, awaited_);
  }
}

}  // namespace forebay::pipeline
