// Gives answers in the order in which their requests came, whichever is ready first.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "forebay/base/sync/mutex.h"
#include "forebay/serving/inference/inference.h"

namespace forebay::serving {

/// Thread safe.
class OrderedAnswers : public std::enable_shared_from_this<OrderedAnswers> {
 public:
  /// The answer of the next request: called when it is ready, it calls `answer` once those before it are
  /// called. Every one that is made must be called.
  InferAnswer next(InferAnswer answer) {
    const MutexLock lock(mutex_);
    return [self = shared_from_this(), number = made_++,
            answer = std::move(answer)](Result<InferResponse> response) mutable {
      self->give(number, {std::move(answer), std::move(response)});
    };
  }

 private:
  struct Ready {
    InferAnswer answer;
    Result<InferResponse> response;
  };

  void give(uint64_t number, Ready ready) {
    UniqueMutexLock lock(mutex_);
    ready_.emplace(number, std::move(ready));
    if (is_giving_) {
      return;  // whoever gives now gives this one too
    }
    is_giving_ = true;
    while (!ready_.empty() && ready_.begin()->first == given_) {
      auto node = ready_.extract(ready_.begin());
      ++given_;
      lock.unlock();
      node.mapped().answer(std::move(node.mapped().response));
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
