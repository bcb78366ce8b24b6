// Something done later: what waits between two attempts, or for a rate limit, holds no thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "absl/functional/any_invocable.h"

namespace forebay {

/// Thread safe.
class Timer {
 public:
  using Id = uint64_t;

  virtual ~Timer() = default;

  /// On steady_clock(), or ahead of it where a test steps it.
  virtual int64_t now_ns() const = 0;
  /// Calls `then` once, at `when_ns` or soon after, on the timer's thread; it must not block. Never inline.
  virtual Id at(int64_t when_ns, absl::AnyInvocable<void()> then) = 0;
  /// Makes it due now. Does nothing if it has been called, or is about to be.
  virtual void hurry(Id id) = 0;
};

/// A timer with a thread of its own, started when first needed. In a forked child it starts anew; what the
/// parent had put off is not done there. Never destroyed before what uses it.
class ThreadTimer final : public Timer {
 public:
  ThreadTimer() = default;
  /// Drops what is not due. Not on the timer's own thread.
  ~ThreadTimer() override;
  ThreadTimer(const ThreadTimer&) = delete;
  ThreadTimer& operator=(const ThreadTimer&) = delete;

  int64_t now_ns() const override;
  Id at(int64_t when_ns, absl::AnyInvocable<void()> then) override;
  void hurry(Id id) override;

 private:
  struct Running;

  Running& running();

  std::atomic<Running*> running_{nullptr};
};

/// The process's timer; never destroyed.
Timer& process_timer();

}  // namespace forebay
