#include "forebay/engine/process.h"

#include <pthread.h>

#include <utility>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/base/fork.h"

namespace forebay::engine {
namespace {

std::atomic<uint32_t> generation{1};
std::atomic<uint32_t> core_id{1};

/// Inboxes of engines that have gone.
struct FreeInboxes {
  std::mutex mutex;
  std::vector<Inbox*> inboxes;
  uint32_t fork_generation = 0;  // those of the parent may have been locked

  FreeInboxes() { keep_usable_in_child(mutex); }
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
  const std::lock_guard lock(free.mutex);
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
  const std::lock_guard lock(free.mutex);
  free.inboxes.push_back(&inbox);
}

}  // namespace forebay::engine
