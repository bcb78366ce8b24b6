// Where answers go: to /dev/fuse, or to a test.
#pragma once

#include <cstdint>
#include <span>

#include "forebay/base/byte_source.h"

namespace forebay::fuse {

/// Thread safe.
class Replies {
 public:
  virtual ~Replies() = default;

  /// Answers the request with the number `unique`, once: with an errno, or with 0 and bytes that lie in one
  /// place or several. False if nobody heard it: the request was interrupted, or the mount has gone. The
  /// bytes are not needed any more when it returns.
  virtual bool send(uint64_t unique, int error, std::span<const Bytes> parts) = 0;
};

}  // namespace forebay::fuse
