#include "forebay/cache/store/room_beside.h"

#include <sys/statvfs.h>

namespace forebay::cache {

bool RoomBeside::reserve(uint64_t bytes) {
  const MutexLock lock(mutex_);
  struct statvfs disk {};
  const bool may = used_bytes() + bytes <= most_bytes_ &&
                   (directory_.empty() ||
                    (::statvfs(directory_.c_str(), &disk) == 0 &&
                     static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize >= least_free_bytes_ + bytes));
  if (may && reserve_) {
    return reserve_(bytes);
  }
  used_bytes_->fetch_add(may ? bytes : 0, std::memory_order_relaxed);
  return may;
}

bool ReservedRoom::add(uint64_t bytes) {
  const bool has_room = room_->reserve(bytes);
  bytes_ += has_room ? bytes : 0;
  return has_room;
}

}  // namespace forebay::cache
