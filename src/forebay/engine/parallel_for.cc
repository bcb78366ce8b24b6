// Splitting one task over the workers that are idle at the moment, or become idle before it is over.
#include <algorithm>
#include <limits>

#include "forebay/engine/core.h"

namespace forebay::engine {

struct Loop {
  const size_t count;
  const absl::FunctionRef<Status(size_t)> body;
  const std::atomic<bool>* const is_cancelled;
  std::atomic<size_t> next{0};
  int helpers = 0;  // workers in the loop now; guarded by the Core's mutex
  std::condition_variable helpers_gone;
  std::mutex error_mutex;
  size_t error_piece = std::numeric_limits<size_t>::max();
  Status error;
};

// Pieces are handed out in order, so when one fails all before it are done or running, and of those the
// lowest that fails is the one whose error is kept: the same error whatever the number of workers.
bool Core::run_piece(Loop& loop) {
  const size_t piece = loop.next.fetch_add(1, std::memory_order_relaxed);
  if (piece >= loop.count) {
    return false;
  }
  Status status = call_caught([&] { return loop.body(piece); });
  if (!status.ok()) {
    std::lock_guard lock(loop.error_mutex);
    if (piece < loop.error_piece) {
      loop.error_piece = piece;
      loop.error = std::move(status);
    }
    loop.next.store(loop.count, std::memory_order_relaxed);
  }
  return true;
}

/// Until it is over, or a task is ready: then another worker may come in this one's place, or it again.
void Core::run_pieces(Loop& loop, Section& section) {
  section.leave();
  while (run_piece(loop)) {
    section.enter();
    if (queue_.runnable(1) > 0) {
      // The caller takes the invitations back when there are no pieces left, so not then.
      if (loop.next.load(std::memory_order_relaxed) < loop.count) {
        loops_.push_back(&loop);
      }
      return;
    }
    section.leave();
  }
  section.enter();
}

void Core::help_loop(Section& section) {
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

Status Core::parallel_for(size_t count, absl::FunctionRef<Status(size_t)> body) {
  if (!is_alive()) {
    return check_handle(core_id_, fork_generation_, "engine");
  }
  Loop loop{.count = count, .body = body, .is_cancelled = thread_context().is_cancelled};
  size_t invited = 0;
  {
    Section section(*this);
    const int others = limit_ - (thread_context().worker != nullptr ? 1 : 0);
    invited = is_stopping_ || count < 2 ? 0 : std::min(static_cast<size_t>(std::max(0, others)), count - 1);
    loops_.insert(loops_.end(), invited, &loop);
    if (invited > 0) {
      pace_.note_long();  // what is worth splitting is
    }
  }
  while (run_piece(loop)) {
  }
  if (invited > 0) {
    Section section(*this);
    std::erase(loops_, &loop);
    while (loop.helpers > 0 && section.has_deferred()) {
      section.settle();
    }
    loop.helpers_gone.wait(section.lock(), [&] { return loop.helpers == 0; });
  }
  return std::move(loop.error);
}

}  // namespace forebay::engine
