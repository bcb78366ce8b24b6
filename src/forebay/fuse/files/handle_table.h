// What is open, by the numbers that the kernel has for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>

#include "forebay/base/sync/mutex.h"
#include "forebay/fuse/state/state_log.h"
#include "forebay/fuse/state/state_records.h"

namespace forebay::fuse {

/// Thread safe.
template <class Value>
class HandleTable {
 public:
  /// `log` hears of each change before it can be seen; null: nobody does.
  explicit HandleTable(HandleKind kind, StateLog* log = nullptr) : kind_(kind), log_(log) {}

  /// Numbers are never used again. `facts` make it anew after a kill.
  uint64_t add(std::shared_ptr<Value> value, const HandleFacts& facts) {
    const MutexLock lock(mutex_);
    const uint64_t handle = next_++;
    values_.emplace(handle, Opened{std::move(value), facts});
    if (log_ != nullptr) {
      log_->append(opened_record(kind_, handle, facts), opened_record_bytes());
    }
    return handle;
  }
  /// What another table's log came to; `make` makes what was open anew. What it makes nothing of is closed.
  using Make = std::function<std::shared_ptr<Value>(const HandleFacts& facts)>;
  void restore(const RestoredState::Handles& restored, const Make& make) {
    const MutexLock lock(mutex_);
    next_ = restored.next;
    for (const auto& [handle, facts] : restored.open) {
      if (std::shared_ptr<Value> value = make(facts)) {
        values_.emplace(handle, Opened{std::move(value), facts});
      } else if (log_ != nullptr) {
        log_->append(released_record(kind_, handle), -opened_record_bytes());
      }
    }
  }
  /// Null for a number that there is not.
  std::shared_ptr<Value> find(uint64_t handle) const {
    const MutexLock lock(mutex_);
    const auto found = values_.find(handle);
    return found == values_.end() ? nullptr : found->second.value;
  }
  void remove(uint64_t handle) {
    std::shared_ptr<Value> removed;  // dropped after the lock
    const MutexLock lock(mutex_);
    const auto found = values_.find(handle);
    if (found != values_.end()) {
      removed = std::move(found->second.value);
      values_.erase(found);
      if (log_ != nullptr) {
        log_->append(released_record(kind_, handle), -opened_record_bytes());
      }
    }
  }
  size_t size() const {
    const MutexLock lock(mutex_);
    return values_.size();
  }

  /// Puts all that there is, for a log that is written anew.
  using PutAll = std::function<void(const StateLog::PutRecord& put)>;
  /// Nothing changes while `then` runs.
  void frozen(const std::function<void(const PutAll& put_all)>& then) const {
    const MutexLock lock(mutex_);
    then([this](const StateLog::PutRecord& put) FOREBAY_REQUIRES(mutex_) {
      put(next_handle_record(kind_, next_));
      for (const auto& [handle, opened] : values_) {
        put(opened_record(kind_, handle, opened.facts));
      }
    });
  }

 private:
  struct Opened {
    std::shared_ptr<Value> value;
    HandleFacts facts;
  };

  const HandleKind kind_;
  StateLog* const log_;
  mutable Mutex mutex_;
  std::unordered_map<uint64_t, Opened> values_ FOREBAY_GUARDED_BY(mutex_);
  uint64_t next_ FOREBAY_GUARDED_BY(mutex_) = 1;
};

}  // namespace forebay::fuse
