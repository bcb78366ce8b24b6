// An object of which each process has its own: after a fork the child makes another one.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace forebay::storage {

/// What the parent made is left alone in the child and never destroyed there: its mutexes may be locked by
/// threads that the child does not have. Thread safe, without a lock.
template <class T>
class ForkLocal {
 public:
  explicit ForkLocal(std::function<std::shared_ptr<T>()> make) : make_(std::move(make)) {}
  ~ForkLocal() {
    Own* const own = own_.load();
    if (own != nullptr && own->process == ::getpid()) {
      delete own;
    }
  }
  ForkLocal(const ForkLocal&) = delete;
  ForkLocal& operator=(const ForkLocal&) = delete;

  /// This process's object, made now if there is none yet. (Of two threads that make one at the same time,
  /// both get the first.)
  std::shared_ptr<T> get() {
    Own* own = own_.load(std::memory_order_acquire);
    while (own == nullptr || own->process != ::getpid()) {
      auto fresh = std::make_unique<Own>(Own{::getpid(), make_()});
      if (own_.compare_exchange_strong(own, fresh.get(), std::memory_order_acq_rel)) {
        own = fresh.release();
      }
    }
    return own->object;
  }

 private:
  struct Own {
    pid_t process;
    std::shared_ptr<T> object;
  };

  const std::function<std::shared_ptr<T>()> make_;
  std::atomic<Own*> own_{nullptr};
};

}  // namespace forebay::storage
