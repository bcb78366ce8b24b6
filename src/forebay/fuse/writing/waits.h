// Waiting that ends when nobody wants the answer any more.
#pragma once

#include <chrono>
#include <condition_variable>
#include <string_view>
#include <utility>

#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/storage/context.h"

namespace forebay::fuse {

/// Waits until `is_so()`, which is asked under the lock. `cancelled` or deadline_exceeded, by the name of
/// what is waited for, if the call is not wanted any more.
template <class Predicate>
Status wait_while_wanted(std::condition_variable_any& changed, UniqueMutexLock& lock,
                         const storage::CallContext& context, std::string_view name, Predicate is_so) {
  bool is_done = false;
  if (context.deadline_ns == storage::kNoDeadline) {
    is_done = changed.wait(lock, context.cancellation, is_so);
  } else {
    const std::chrono::steady_clock::time_point deadline{std::chrono::nanoseconds(context.deadline_ns)};
    is_done = changed.wait_until(lock, context.cancellation, deadline, is_so);
  }
  return is_done ? ok_status() : storage::not_wanted(context, name);
}

/// What one thread at a time does, however long that takes. Thread safe.
class Turns {
 public:
  class Turn {
   public:
    explicit Turn(Turns& of) : turns_(&of) {}
    Turn(Turn&& other) noexcept : turns_(std::exchange(other.turns_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (turns_ != nullptr) {
        turns_->end();
      }
    }

   private:
    Turns* turns_;
  };

  /// Waits for its turn.
  Result<Turn> take(const storage::CallContext& context, std::string_view name) {
    UniqueMutexLock lock(mutex_);
    const auto is_free = [this]() FOREBAY_REQUIRES(mutex_) { return !is_taken_; };
    FOREBAY_RETURN_IF_ERROR(wait_while_wanted(changed_, lock, context, name, is_free));
    is_taken_ = true;
    return Turn(*this);
  }

 private:
  void end() {
    const MutexLock lock(mutex_);
    is_taken_ = false;
    changed_.notify_one();
  }

  Mutex mutex_;
  std::condition_variable_any changed_;
  bool is_taken_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::fuse
