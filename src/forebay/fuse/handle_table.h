// What is open, by the numbers that the kernel has for it.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

#include "forebay/base/sync/mutex.h"

namespace forebay::fuse {

/// Thread safe.
template <class Value>
class HandleTable {
 public:
  /// Numbers are never used again.
  uint64_t add(std::shared_ptr<Value> value) {
    const MutexLock lock(mutex_);
    const uint64_t handle = next_++;
    values_.emplace(handle, std::move(value));
    return handle;
  }
  /// Null for a number that there is not.
  std::shared_ptr<Value> find(uint64_t handle) const {
    const MutexLock lock(mutex_);
    const auto found = values_.find(handle);
    return found == values_.end() ? nullptr : found->second;
  }
  void remove(uint64_t handle) {
    std::shared_ptr<Value> removed;  // dropped after the lock
    const MutexLock lock(mutex_);
    const auto found = values_.find(handle);
    if (found != values_.end()) {
      removed = std::move(found->second);
      values_.erase(found);
    }
  }
  size_t size() const {
    const MutexLock lock(mutex_);
    return values_.size();
  }

 private:
  mutable Mutex mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<Value>> values_ FOREBAY_GUARDED_BY(mutex_);
  uint64_t next_ FOREBAY_GUARDED_BY(mutex_) = 1;
};

}  // namespace forebay::fuse
