#include "forebay/engine/process.h"

#include <pthread.h>

#include <utility>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/base/fork.h"
#include "forebay/base/mutex.h"

namespace forebay::engine {
namespace {

std::atomic<uint32_t> generation{1};
std::atomic<uint32_t> core_id{1};

/// Inboxes of engines that have gone.
struct FreeInboxes {
  Mutex mutex;
  std::vector<Inbox*> inboxes FOREBAY_GUARDED_BY(mutex);
  // Those of the parent may have been locked.
  uint32_t fork_generation FOREBAY_GUARDED_BY(mutex) = 0;

  FreeInboxes() { keep_usable_in_child(mutex.native()); }
};

FreeInboxes& free_inboxes() {
  static auto* const instance = new FreeInboxes;
  return *instance;
}

}  // namespace

uint32_t fork_generation() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });
  FOREBAY_CHECK(registered == 0);
  return generation.load(std::memory_order_relaxed);
}

uint32_t next_core_id() {
  return core_id.fetch_add(1, std::memory_order_relaxed);
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
