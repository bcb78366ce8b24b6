#include "forebay/engine/process.h"

#include <pthread.h>

#include <utility>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/base/sync/fork.h"
#include "forebay/base/sync/mutex.h"

namespace forebay::engine {
namespace {

std::atomic<uint32_t> core_id{1};

/// Inboxes of destroyed engines.
struct FreeInboxes {
  Mutex mutex;
  std::vector<Inbox*> inboxes FOREBAY_GUARDED_BY(mutex);
  // The parent's inboxes may have been locked during the fork.
  uint32_t fork_generation FOREBAY_GUARDED_BY(mutex) = 0;

  FreeInboxes() { keep_usable_in_child(mutex.native()); }
};

FreeInboxes& free_inboxes() {
  static auto* const instance = new FreeInboxes;
  return *instance;
}

}  // namespace

void watch_forks() {
  static const int registered = pthread_atfork(
      nullptr, nullptr, [] { current_fork_generation.fetch_add(1, std::memory_order_relaxed); });
  FOREBAY_CHECK(registered == 0);
}

uint32_t next_core_id() {
  return core_id.fetch_add(1, std::memory_order_relaxed);
}

Status Identity::check_alive() const {
  return is_alive() ? ok_status()
                    : failed_precondition(
                          "this engine belongs to the parent process; make a new one after the fork");
}

Status Identity::check(uint32_t core_id, uint32_t fork_generation, const char* what) const {
  FOREBAY_RETURN_IF_ERROR(check_alive());
  if (core_id == core_id_) {
    return ok_status();
  }
  if (fork_generation != fork_generation_) {
    return failed_precondition("the {} belongs to the parent process; make a new one after the fork", what);
  }
  return invalid_argument("the {} belongs to another engine", what);
}

Inbox& take_inbox() {
  FreeInboxes& free = free_inboxes();
  const MutexLock lock(free.mutex);
  if (std::exchange(free.fork_generation, fork_generation()) != fork_generation()) {
    free.inboxes.clear();
  }
  if (free.inboxes.empty()) {
    return *new Inbox;
  }
  Inbox* const inbox = free.inboxes.back();
  free.inboxes.pop_back();
  return *inbox;
}

void give_inbox(Inbox& inbox) {
  FreeInboxes& free = free_inboxes();
  const MutexLock lock(free.mutex);
  free.inboxes.push_back(&inbox);
}

}  // namespace forebay::engine
