// Ctrl-C, and SIGTERM, as a stop token: a command ends its work in order and leaves nothing half-written. A
// second signal ends the process at once, unless its end must not be cut short.
#pragma once

#include <stop_token>
#include <thread>

#include "forebay/base/status.h"

namespace forebay::cli {

/// One at a time in a process.
class StopOnSignal {
 public:
  StopOnSignal();
  /// From then on the signals end the process again.
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  /// From now on a second signal does nothing: what the first one begins has to be done.
  void only_once();
  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::thread waiter_;  // a signal's handler may not stop anything itself
};

/// What a program returns after an error: 128 and the signal's number where a signal stopped it, else 1.
int exit_status(const Status& status);

}  // namespace forebay::cli
