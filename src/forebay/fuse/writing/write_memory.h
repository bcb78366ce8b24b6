// How much memory the files of a mount take that are being written.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace forebay::fuse {

/// A bound for all files together. Thread safe.
class WriteMemory {
 public:
  explicit WriteMemory(size_t most_bytes) : most_bytes_(most_bytes) {}

  /// False, with nothing taken, where there is no room.
  bool take(size_t bytes) {
    const size_t before = taken_.fetch_add(bytes);
    if (before + bytes <= most_bytes_) {
      return true;
    }
    taken_.fetch_sub(bytes);
    return false;
  }
  void give_back(size_t bytes) { taken_.fetch_sub(bytes); }

  size_t most_bytes() const { return most_bytes_; }

 private:
  const size_t most_bytes_;
  std::atomic<size_t> taken_ = 0;
};

/// What one owner has taken of it, and gives back when it goes. One thread at a time.
class TakenMemory {
 public:
  explicit TakenMemory(std::shared_ptr<WriteMemory> of) : memory_(std::move(of)) {}
  TakenMemory(TakenMemory&& other) noexcept
      : memory_(std::move(other.memory_)), bytes_(std::exchange(other.bytes_, 0)) {}
  TakenMemory& operator=(TakenMemory&&) = delete;
  ~TakenMemory() {
    if (bytes_ > 0) {
      memory_->give_back(bytes_);
    }
  }

  /// Has so many bytes from now on; false, with as many as before, where there is no room for more.
  bool resize(size_t bytes) {
    if (bytes > bytes_ && !memory_->take(bytes - bytes_)) {
      return false;
    }
    if (bytes < bytes_) {
      memory_->give_back(bytes_ - bytes);
    }
    bytes_ = bytes;
    return true;
  }
  /// A part of it, for another owner.
  TakenMemory split(size_t bytes) {
    TakenMemory part(memory_);
    part.bytes_ = bytes;
    bytes_ -= bytes;
    return part;
  }

 private:
  std::shared_ptr<WriteMemory> memory_;
  size_t bytes_ = 0;
};

}  // namespace forebay::fuse
