#include "forebay/cache/drafts/room_beside.h"

#include <algorithm>

namespace forebay::cache {
namespace {

constexpr uint64_t kPieceBytes = uint64_t{4} << 20;

}  // namespace

bool RoomBeside::reserve(uint64_t bytes) {
  const MutexLock lock(mutex_);
  if (used_bytes() + bytes > most_bytes_) {
    return false;
  }
  if (reserve_) {
    return reserve_(bytes);
  }
  used_bytes_->fetch_add(bytes, std::memory_order_relaxed);
  return true;
}

// Piece by piece, so that nobody waits while a cache lets much go at once, and little went if it has no room.
bool ReservedRoom::add(uint64_t bytes) {
  uint64_t added = 0;
  while (added < bytes) {
    const uint64_t piece = std::min(bytes - added, kPieceBytes);
    if (!room_->reserve(piece)) {
      room_->give_back(added);
      return false;
    }
    added += piece;
  }
  bytes_ += added;
  return true;
}

}  // namespace forebay::cache
