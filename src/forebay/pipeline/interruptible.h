// A wait that somebody outside may end, and whether he did.
#pragma once

#include <functional>

#include "forebay/engine/engine.h"

namespace forebay::pipeline {

/// For one wait. `interrupted` may be empty, and must outlive it.
class Interruptible {
 public:
  explicit Interruptible(const std::function<bool()>& interrupted) {
    if (interrupted) {
      options_.interrupted = [this, &interrupted] { return was_interrupted_ = interrupted(); };
    }
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  const engine::WaitOptions& options() const { return options_; }
  /// After the wait: cancelled when it was interrupted, also where it had come to its end by then.
  Status status() const { return was_interrupted_ ? cancelled("the wait was interrupted") : ok_status(); }

 private:
  engine::WaitOptions options_;
  bool was_interrupted_ = false;
};

}  // namespace forebay::pipeline
