// Requests that are being answered, so that each can be ended: by the kernel, when its program no longer
// waits, and all together, when the mount goes.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <utility>

#include "forebay/base/sync/mutex.h"

namespace forebay::fuse {

/// Thread safe.
class CallsUnderWay {
 public:
  /// To be called before another request is received, so that no interrupt comes for what is not known yet.
  /// `thread` has asked; 0 if that is not known.
  std::stop_token begin(uint64_t unique, uint32_t thread) {
    const MutexLock lock(mutex_);
    std::stop_source source;
    std::stop_token token = source.get_token();
    if (has_ended_) {
      source.request_stop();
    }
    calls_.insert_or_assign(unique, Call{std::move(source), thread});
    return token;
  }
  void end(uint64_t unique) {
    const MutexLock lock(mutex_);
    calls_.erase(unique);
  }
  /// The thread that has asked; nothing if there is no such request, or not any more.
  std::optional<uint32_t> thread_of(uint64_t unique) const {
    const MutexLock lock(mutex_);
    const auto found = calls_.find(unique);
    return found == calls_.end() ? std::nullopt : std::optional(found->second.thread);
  }
  /// False if there is no such request, or not any more.
  bool interrupt(uint64_t unique) {
    std::stop_source source(std::nostopstate);
    {
      const MutexLock lock(mutex_);
      const auto found = calls_.find(unique);
      if (found == calls_.end()) {
        return false;
      }
      source = found->second.source;
    }
    source.request_stop();  // calls back into stores
    return true;
  }
  /// Ends all, and those that begin from now on.
  void end_all() {
    std::unordered_map<uint64_t, Call> calls;
    {
      const MutexLock lock(mutex_);
      has_ended_ = true;
      calls = calls_;
    }
    for (auto& [unique, call] : calls) {
      call.source.request_stop();
    }
  }

 private:
  struct Call {
    std::stop_source source;
    uint32_t thread = 0;
  };

  mutable Mutex mutex_;
  std::unordered_map<uint64_t, Call> calls_ FOREBAY_GUARDED_BY(mutex_);
  bool has_ended_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::fuse
