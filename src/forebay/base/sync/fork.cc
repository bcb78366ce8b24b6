#include "forebay/base/sync/fork.h"

#include <pthread.h>

#include <vector>

namespace forebay {
namespace {

struct KeptLocks {
  std::mutex own;
  std::vector<std::mutex*> locks;

  void lock() {
    own.lock();
    for (std::mutex* lock : locks) {
      lock->lock();
    }
  }

  void unlock() {
    for (std::mutex* lock : locks) {
      lock->unlock();
    }
    own.unlock();
  }
};

KeptLocks& kept() {
  static KeptLocks* instance = [] {
    auto* created = new KeptLocks;  // never destroyed: a fork may happen during process exit
    pthread_atfork([] { kept().lock(); }, [] { kept().unlock(); }, [] { kept().unlock(); });
    return created;
  }();
  return *instance;
}

}  // namespace

void keep_usable_in_child(std::mutex& mutex) {
  std::lock_guard lock(kept().own);
  kept().locks.push_back(&mutex);
}

}  // namespace forebay
