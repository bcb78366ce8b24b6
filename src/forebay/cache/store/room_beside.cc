#include "forebay/cache/store/room_beside.h"

#include <sys/statvfs.h>

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
  const bool is_free = is_free_on_disk(bytes);
  used_bytes_->fetch_add(is_free ? bytes : 0, std::memory_order_relaxed);
  return is_free;
}

bool RoomBeside::is_free_on_disk(uint64_t bytes) const {
  struct statvfs disk {};
  return directory_.empty() ||
         (::statvfs(directory_.c_str(), &disk) == 0 &&
          static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize >= least_free_bytes_ + bytes);
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
