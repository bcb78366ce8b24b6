// The memory that the body of a request is received into: in one piece, with a limit, counted against a
// budget.
#pragma once

#include <memory>

#include "forebay/base/budget/budget.h"
#include "forebay/base/byte_source.h"
#include "forebay/memory/buffer.h"

namespace forebay::net {

/// One thread.
class BodyBuffer {
 public:
  /// `budget` may be null. The body begins `lead_bytes` behind the beginning of its memory.
  BodyBuffer(uint64_t limit_bytes, std::shared_ptr<Budget> budget, size_t lead_bytes = 0)
      : limit_bytes_(limit_bytes), lead_bytes_(lead_bytes), budget_(std::move(budget)) {}

  /// Room for so many bytes in all; what is there is kept (and copied, if the memory is another).
  /// resource_exhausted if neither the budget nor the system has them, out_of_range beyond the limit.
  Status make_room(uint64_t bytes);
  /// At least twice the room, within the limit. Errors as above.
  Status grow();
  Status append(Bytes bytes);

  /// What may be written to, at the end.
  MutableBytes room() const;
  /// So many bytes of it were written.
  void filled(size_t bytes) { filled_bytes_ += bytes; }

  uint64_t size_bytes() const { return filled_bytes_; }
  bool is_at_limit() const { return filled_bytes_ == limit_bytes_; }

  /// A buffer of exactly the lead and what was filled; null if that is nothing. Leaves none.
  memory::BufferRef take();

 private:
  uint64_t room_bytes() const { return buffer_ == nullptr ? 0 : buffer_->size_bytes() - lead_bytes_; }

  const uint64_t limit_bytes_;
  const size_t lead_bytes_;
  const std::shared_ptr<Budget> budget_;
  memory::BufferRef buffer_;
  size_t filled_bytes_ = 0;
};

}  // namespace forebay::net
