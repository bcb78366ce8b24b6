// A fence says when a buffer is ready: when a queue of a driver has passed a certain point. GPU streams, I/O
// completions and engine tasks all use fences. A fence is a plain value; drivers query it and wait for it
// (memory/device_driver.h).
#pragma once

#include <cstdint>

namespace forebay {

struct Fence {
  uint32_t driver = 0;    // driver id; 0 is the host, whose work is done when the call returns
  uint32_t queue = 0;     // queue (stream) of that driver
  uint64_t sequence = 0;  // point on that queue; 0 is before everything, so it has always passed

  /// Whether there is nothing to wait for, whatever the driver says.
  bool is_trivial() const { return driver == 0 || sequence == 0; }

  friend bool operator==(const Fence&, const Fence&) = default;
};

}  // namespace forebay
