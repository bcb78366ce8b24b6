// The room that a cache's first directory has for what is not cached: drafts of objects that are being
// written, and tables of data sets.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "forebay/base/sync/mutex.h"

namespace forebay::cache {

/// What all of it may take together. Thread safe.
class RoomBeside {
 public:
  using UsedBytes = std::shared_ptr<std::atomic<uint64_t>>;
  /// Adds bytes to those in use, and makes room for them; false, and nothing added, where there is none.
  using Reserve = std::function<bool(uint64_t bytes)>;

  /// `directory`: in which files without names may be made; empty: nothing is to lie on a disk. `reserve`
  /// knows what is free there, and what may go from it; null: nothing but `most_bytes` bounds it.
  RoomBeside(std::string directory, uint64_t most_bytes, Reserve reserve = nullptr)
      : directory_(std::move(directory)), most_bytes_(most_bytes), reserve_(std::move(reserve)) {}

  /// False if there is no room, on the disk either.
  bool reserve(uint64_t bytes) FOREBAY_EXCLUDES(mutex_);
  void give_back(uint64_t bytes) { used_bytes_->fetch_sub(bytes, std::memory_order_relaxed); }
  uint64_t used_bytes() const { return used_bytes_->load(std::memory_order_relaxed); }
  const UsedBytes& shared_used_bytes() const { return used_bytes_; }

  const std::string& directory() const { return directory_; }
  uint64_t most_bytes() const { return most_bytes_; }

 private:
  const std::string directory_;
  const uint64_t most_bytes_;
  const Reserve reserve_;
  const UsedBytes used_bytes_ = std::make_shared<std::atomic<uint64_t>>(0);
  Mutex mutex_;  // held while bytes are added
};

/// What one user has of the room, which it gives back in the end. One thread at a time.
class ReservedRoom {
 public:
  explicit ReservedRoom(std::shared_ptr<RoomBeside> room) : room_(std::move(room)) {}
  ~ReservedRoom() { room_->give_back(bytes_); }
  ReservedRoom(const ReservedRoom&) = delete;
  ReservedRoom& operator=(const ReservedRoom&) = delete;

  /// False, and nothing more is held, if there is no room.
  bool add(uint64_t bytes);

 private:
  const std::shared_ptr<RoomBeside> room_;
  uint64_t bytes_ = 0;
};

}  // namespace forebay::cache
