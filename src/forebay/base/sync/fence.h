// A fence says when a buffer is ready: when that queue of that driver has passed that point. GPU streams, I/O
// completions and engine tasks all speak it. A fence is a value; asking and waiting is the driver's work
// (memory/device/device_driver.h).
#pragma once

#include <cstdint>

namespace forebay {

struct Fence {
  uint32_t driver = 0;    // driver id; 0 is the host, whose work is done when the call returns
  uint32_t queue = 0;     // queue (stream) of that driver
  uint64_t sequence = 0;  // point on that queue; 0 is before everything, so always passed

  /// True when nothing has to be waited for, whatever the driver says.
  bool is_trivial() const { return driver == 0 || sequence == 0; }

  friend bool operator==(const Fence&, const Fence&) = default;
};

}  // namespace forebay
