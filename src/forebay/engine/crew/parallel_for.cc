// Splits one task over workers that are idle now, or become idle before it is over.
#include <algorithm>
#include <limits>

#include "forebay/base/caught.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/engine/crew/crew.h"

namespace forebay::engine {

struct Loop {
  const size_t count;
  const absl::FunctionRef<Status(size_t)> body;
  const std::atomic<bool>* const is_cancelled;
  std::atomic<size_t> next{0};
  int helpers FOREBAY_GUARDED = 0;  // workers inside the loop now
  std::condition_variable helpers_gone;
  Mutex error_mutex;
  size_t error_piece FOREBAY_GUARDED_BY(error_mutex) = std::numeric_limits<size_t>::max();
  Status error FOREBAY_GUARDED_BY(error_mutex);

  void note_error(size_t piece, Status status) FOREBAY_EXCLUDES(error_mutex) {
    const MutexLock lock(error_mutex);
    if (piece < error_piece) {
      error_piece = piece;
      error = std::move(status);
    }
  }
  Status take_error() FOREBAY_EXCLUDES(error_mutex) {
    const MutexLock lock(error_mutex);
    return std::move(error);
  }
};

// Pieces are handed out in order. So when one fails, all pieces before it are done or running, and the error
// kept is that of the lowest failing piece: the same error for any number of workers.
bool Crew::run_piece(Loop& loop) {
  const size_t piece = loop.next.fetch_add(1, std::memory_order_relaxed);
  if (piece >= loop.count) {
    return false;
  }
  Status status = caught([&] { return loop.body(piece); });
  if (!status.ok()) {
    loop.note_error(piece, std::move(status));
    loop.next.store(loop.count, std::memory_order_relaxed);
  }
  return true;
}

/// Runs pieces until none are left or a task becomes ready; then another worker, or this one again, may
/// rejoin.
void Crew::run_pieces(Loop& loop, Section& section) {
  section.leave();
  while (run_piece(loop)) {
    section.enter();
    if (graph_.queue().runnable(1) > 0) {
      // When no pieces are left the caller withdraws the invitations, so none is added then.
      if (loop.next.load(std::memory_order_relaxed) < loop.count) {
        loops_.push_back(&loop);
      }
      return;
    }
    section.leave();
  }
  section.enter();
}

void Crew::help_loop(Section& section) {
  Loop& loop = *loops_.back();
  loops_.pop_back();
  ++loop.helpers;
  ++running_;
  ThreadContext& context = thread_context();
  context.is_cancelled = loop.is_cancelled;
  run_pieces(loop, section);
  context.is_cancelled = nullptr;
  --running_;
  if (--loop.helpers == 0) {
    loop.helpers_gone.notify_one();
  }
}

/// Invites as many workers as may help. Returns how many.
size_t Crew::invite(Loop& loop) {
  const int others = limit_ - (thread_context().worker != nullptr ? 1 : 0);
  if (graph_.is_stopping() || loop.count < 2 || others <= 0) {
    return 0;
  }
  const size_t invited = std::min(static_cast<size_t>(others), loop.count - 1);
  loops_.insert(loops_.end(), invited, &loop);
  pace_.note_long();  // work that is worth splitting is long
  return invited;
}

Status Crew::parallel_for(size_t count, absl::FunctionRef<Status(size_t)> body) {
  FOREBAY_RETURN_IF_ERROR(identity_.check_alive());
  Loop loop{.count = count, .body = body, .is_cancelled = thread_context().is_cancelled};
  size_t invited = 0;
  {
    const Section section(*this);
    invited = invite(loop);
  }
  while (run_piece(loop)) {
  }
  if (invited > 0) {
    Section section(*this);
    std::erase(loops_, &loop);
    while (loop.helpers > 0 && section.has_deferred()) {
      section.step_out();
    }
    loop.helpers_gone.wait(section.lock(), [&]() FOREBAY_HOLDS { return loop.helpers == 0; });
  }
  return loop.take_error();
}

}  // namespace forebay::engine
