#include "forebay/net/server/body_buffer.h"

#include <algorithm>
#include <utility>

#include "forebay/memory/copy.h"

namespace forebay::net {
namespace {

constexpr uint64_t kFirstRoom_bytes = 16 << 10;

}  // namespace

Status BodyBuffer::make_room(uint64_t bytes) {
  if (bytes > limit_bytes_) {
    return out_of_range("a body of {} bytes exceeds the limit of {}", bytes, limit_bytes_);
  }
  if (buffer_ != nullptr && room_bytes() >= bytes) {
    return ok_status();
  }
  Reservation reservation;
  if (budget_ != nullptr) {
    FOREBAY_ASSIGN_OR_RETURN(reservation, budget_->try_reserve(lead_bytes_ + bytes));
  }
  FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef larger, memory::Buffer::allocate(lead_bytes_ + bytes));
  larger->attach(std::move(reservation));
  if (filled_bytes_ > 0) {
    memory::copy(larger->mutable_bytes().data() + lead_bytes_, buffer_->bytes().data() + lead_bytes_,
                 filled_bytes_);
  }
  buffer_ = std::move(larger);
  return ok_status();
}

Status BodyBuffer::grow() {
  const uint64_t now = room_bytes();
  if (now >= limit_bytes_) {
    return out_of_range("a body exceeds the limit of {} bytes", limit_bytes_);
  }
  return make_room(std::min(limit_bytes_, std::max(kFirstRoom_bytes, 2 * now)));
}

Status BodyBuffer::append(Bytes bytes) {
  while (!bytes.empty()) {
    const MutableBytes into = room();
    if (into.empty()) {
      FOREBAY_RETURN_IF_ERROR(grow());
      continue;
    }
    const size_t taken = std::min(into.size(), bytes.size());
    memory::copy(into.data(), bytes.data(), taken);
    filled(taken);
    bytes = bytes.subspan(taken);
  }
  return ok_status();
}

MutableBytes BodyBuffer::room() const {
  return buffer_ == nullptr ? MutableBytes() : buffer_->mutable_bytes().subspan(lead_bytes_ + filled_bytes_);
}

memory::BufferRef BodyBuffer::take() {
  memory::BufferRef whole = std::move(buffer_);
  const size_t filled = std::exchange(filled_bytes_, 0);
  buffer_ = nullptr;
  if (filled == 0) {
    return nullptr;
  }
  const size_t bytes = lead_bytes_ + filled;
  if (whole->size_bytes() == bytes) {
    return whole;
  }
  void* const data = whole->data();
  const memory::MemoryKind kind = whole->kind();
  return memory::Buffer::wrap(data, bytes, kind, [kept = std::move(whole)]() mutable { kept.reset(); });
}

}  // namespace forebay::net
