// Gives answers in the order in which their requests came, whichever is ready first.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "forebay/base/sync/mutex.h"
#include "forebay/serving/inference/inference.h"

namespace forebay::serving {

/// Thread safe.
class OrderedAnswers {
 public:
  /// The turn of the next request. Every one is either given or passed over.
  uint64_t next() {
    const MutexLock lock(mutex_);
    return made_++;
  }

  /// Calls `answer` with `response` once the turns before it are over.
  void give(uint64_t turn, InferAnswer answer, Result<InferResponse> response) {
    end_turn(turn, {std::move(answer), std::move(response)});
  }

  /// The request of that turn has its answer already, or needs none: those behind it wait no longer for it.
  void pass_over(uint64_t turn) { end_turn(turn, {nullptr, InferResponse()}); }

 private:
  struct Ready {
    InferAnswer answer;
    Result<InferResponse> response;
  };

  void end_turn(uint64_t turn, Ready ready) {
    UniqueMutexLock lock(mutex_);
    ready_.emplace(turn, std::move(ready));
    if (is_giving_) {
      return;  // whoever gives now gives this one too
    }
    is_giving_ = true;
    while (!ready_.empty() && ready_.begin()->first == given_) {
      auto node = ready_.extract(ready_.begin());
      ++given_;
      lock.unlock();
      if (node.mapped().answer != nullptr) {
        node.mapped().answer(std::move(node.mapped().response));
      }
      lock.lock();
    }
    is_giving_ = false;
  }

  Mutex mutex_;
  uint64_t made_ FOREBAY_GUARDED_BY(mutex_) = 0;
  uint64_t given_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool is_giving_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::map<uint64_t, Ready> ready_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::serving
