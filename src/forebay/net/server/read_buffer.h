// Bytes of a connection that were received and not yet taken: in one piece, since headers are parsed so.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "forebay/base/byte_source.h"

namespace forebay::net {

/// One thread.
class ReadBuffer {
 public:
  explicit ReadBuffer(size_t most_bytes) : most_bytes_(most_bytes) {}

  Bytes unread() const { return Bytes(bytes_).subspan(begin_, end_ - begin_); }
  void consume(size_t bytes) { begin_ += bytes; }
  /// Where more may be received; empty if it is full. Grows as it fills; moves what is unread. The room stays
  /// where it is until the next call.
  MutableBytes room() {
    if (begin_ == end_) {
      begin_ = 0;
      end_ = 0;
    }
    if (end_ == bytes_.size() && begin_ > 0) {
      // copy: the begin of a header, moved to where the rest fits behind it
      std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ == bytes_.size() && bytes_.size() < most_bytes_) {
      bytes_.resize(std::min(most_bytes_, std::max(kFirst_bytes, 2 * bytes_.size())));
    }
    return MutableBytes(bytes_).subspan(end_);
  }
  void filled(size_t bytes) { end_ += bytes; }

 private:
  static constexpr size_t kFirst_bytes = 4 << 10;

  const size_t most_bytes_;
  std::vector<std::byte> bytes_;
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace forebay::net
