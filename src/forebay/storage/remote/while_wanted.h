// An answer that is waited for no longer than its call wants it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/sync/timer.h"
#include "forebay/storage/context.h"

namespace forebay::storage {

/// One wait. The timer knows it by a weak pointer, so an answer that comes in time leaves nothing behind.
template <class Answer>
class WantedWait : public std::enable_shared_from_this<WantedWait<Answer>> {
 public:
  using Done = absl::AnyInvocable<void(Result<Answer>)>;

  WantedWait(const CallContext& context, std::string uri, Done done, Timer& timer)
      : context_(context), uri_(std::move(uri)), timer_(timer), done_(std::move(done)) {}

  void look_later() {
    const MutexLock lock(mutex_);
    const int64_t when_ns = std::min(context_.deadline_ns, timer_.now_ns() + kLongestWaitNs);
    id_ = timer_.at(when_ns, [weak = this->weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->look();
      }
    });
    on_stop_ = std::make_unique<StopCallback>(context_.cancellation, Hurry{&timer_, id_});
  }

  void answer(Result<Answer> given) {
    Done done;
    std::unique_ptr<StopCallback> on_stop;  // destroyed without the lock: it may be running
    Timer::Id id = 0;
    {
      const MutexLock lock(mutex_);
      done = std::exchange(done_, nullptr);
      on_stop = std::move(on_stop_);
      id = id_;
    }
    on_stop.reset();
    if (done) {
      timer_.hurry(id);
      done(std::move(given));
    }
  }

 private:
  static constexpr int64_t kLongestWaitNs = 3'600'000'000'000;

  struct Hurry {
    Timer* timer;
    Timer::Id id;
    void operator()() const { timer->hurry(id); }
  };
  using StopCallback = std::stop_callback<Hurry>;

  void look() {
    if (context_.cancellation.stop_requested() || timer_.now_ns() >= context_.deadline_ns) {
      answer(not_wanted(context_, uri_));
    } else if (is_open()) {
      look_later();
    }
  }

  bool is_open() const {
    const MutexLock lock(mutex_);
    return done_ != nullptr;
  }

  const CallContext context_;
  const std::string uri_;
  Timer& timer_;
  mutable Mutex mutex_;
  Done done_ FOREBAY_GUARDED_BY(mutex_);  // null: answered
  Timer::Id id_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::unique_ptr<StopCallback> on_stop_ FOREBAY_GUARDED_BY(mutex_);
};

/// `done`, answered once: with the first answer, or on the timer's thread as `cancelled` or
/// `deadline_exceeded` if the call ends before it. Later answers are dropped. `uri` is for the message.
template <class Answer>
absl::AnyInvocable<void(Result<Answer>)> while_wanted(const CallContext& context, std::string uri,
                                                      absl::AnyInvocable<void(Result<Answer>)> done,
                                                      Timer& timer = process_timer()) {
  if (context.deadline_ns == kNoDeadline && !context.cancellation.stop_possible()) {
    return done;
  }
  auto wait = std::make_shared<WantedWait<Answer>>(context, std::move(uri), std::move(done), timer);
  wait->look_later();
  return [wait](Result<Answer> answer) { wait->answer(std::move(answer)); };
}

}  // namespace forebay::storage
