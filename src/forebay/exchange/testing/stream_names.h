// Names for the streams of a simulated device.
#pragma once

#include "forebay/exchange/devices/streams.h"

namespace forebay::exchange {

// Streams 1 and 2 are queues 0 and 1; handles are 1000 + queue.
class TestNames final : public StreamNames {
 public:
  Result<uint32_t> queue_of(uint64_t stream) const override {
    if (stream == 1 || stream == 2) {
      return static_cast<uint32_t>(stream - 1);
    }
    if (stream < 1000 || stream > 1003) {
      return invalid_argument("no stream {}", stream);
    }
    return static_cast<uint32_t>(stream - 1000);
  }
  Result<uint64_t> stream_of(uint32_t queue) const override { return uint64_t{1000} + queue; }
};

}  // namespace forebay::exchange
