// Requests that are being answered, so that each can be ended: by the kernel, when its program no longer
// waits, and all together, when the mount goes.
#pragma once

#include <cstdint>
#include <stop_token>
#include <unordered_map>

#include "forebay/base/sync/mutex.h"

namespace forebay::fuse {

/// Thread safe.
class CallsUnderWay {
 public:
  /// To be called before another request is received, so that no interrupt comes for what is not known yet.
  std::stop_token begin(uint64_t unique) {
    const MutexLock lock(mutex_);
    std::stop_source source;
    std::stop_token token = source.get_token();
    if (has_ended_) {
      source.request_stop();
    }
    sources_.insert_or_assign(unique, std::move(source));
    return token;
  }
  void end(uint64_t unique) {
    const MutexLock lock(mutex_);
    sources_.erase(unique);
  }
  /// False if there is no such request, or not any more.
  bool interrupt(uint64_t unique) {
    std::stop_source source(std::nostopstate);
    {
      const MutexLock lock(mutex_);
      const auto found = sources_.find(unique);
      if (found == sources_.end()) {
        return false;
      }
      source = found->second;
    }
    source.request_stop();  // calls back into stores
    return true;
  }
  /// Ends all, and those that begin from now on.
  void end_all() {
    std::unordered_map<uint64_t, std::stop_source> sources;
    {
      const MutexLock lock(mutex_);
      has_ended_ = true;
      sources = sources_;
    }
    for (auto& [unique, source] : sources) {
      source.request_stop();
    }
  }

 private:
  Mutex mutex_;
  std::unordered_map<uint64_t, std::stop_source> sources_ FOREBAY_GUARDED_BY(mutex_);
  bool has_ended_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::fuse
