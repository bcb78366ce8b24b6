// A wait that somebody outside may interrupt, and whether that happened.
#pragma once

#include <functional>

#include "forebay/engine/engine.h"

namespace forebay::pipeline {

/// For a single wait. `interrupted` may be empty, and must outlive it.
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
  /// Call it after the wait: `cancelled` if it was interrupted, even if it had just ended normally.
  Status status() const { return was_interrupted_ ? cancelled("the wait was interrupted") : ok_status(); }

 private:
  engine::WaitOptions options_;
  bool was_interrupted_ = false;
};

}  // namespace forebay::pipeline
