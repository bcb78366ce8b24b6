// Waits for stores that somebody outside may end, as a signal of the terminal does.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

#include "forebay/storage/context.h"

namespace forebay::storage {

/// While it lives, calls of blocking.h that this thread makes without a token of their own are cancelled once
/// `interrupted` says so, which is asked ten times a second on this thread; so are all later ones. Must be
/// destroyed on the thread that made it, the last one first.
class InterruptibleWaits {
 public:
  explicit InterruptibleWaits(std::function<bool()> interrupted);
  ~InterruptibleWaits();
  InterruptibleWaits(const InterruptibleWaits&) = delete;
  InterruptibleWaits& operator=(const InterruptibleWaits&) = delete;

  bool was_interrupted() const { return was_interrupted_; }

 private:
  friend class WaitedCall;

  const std::function<bool()> interrupted_;
  InterruptibleWaits* const outer_;
  bool was_interrupted_ = false;
};

/// A call that this thread is going to wait for.
class WaitedCall {
 public:
  explicit WaitedCall(const CallContext& given);

  const CallContext& context() const { return context_; }
  /// Nothing: nobody can interrupt it.
  std::optional<std::chrono::milliseconds> time_between_looks() const;
  /// Cancels the call if it is interrupted.
  void look();

 private:
  InterruptibleWaits* waits_ = nullptr;  // null: nobody can interrupt it
  std::stop_source stop_{std::nostopstate};
  CallContext context_;
};

}  // namespace forebay::storage
