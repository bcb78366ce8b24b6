// Tells whether a file is read from front to back, and what to have near before its reader asks for it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "forebay/fuse/file_part.h"

namespace forebay::fuse {

/// Not thread safe.
class SequentialReads {
 public:
  static constexpr uint64_t kWindowBytes = uint64_t{16} << 20;  // so far ahead
  static constexpr uint64_t kStepBytes = uint64_t{4} << 20;     // as much at a time

  /// Takes note of a read. The kernel has several under way, which come in any order; what is near the
  /// furthest one counts as going on from it, as long as most of what lies between is read. Returns what is
  /// wanted next, whole steps or the rest of the file, each once.
  FilePart note(uint64_t offset, uint64_t length, uint64_t file_bytes) {
    const bool goes_on = offset <= furthest_ + kNearBytes && offset + kNearBytes >= furthest_;
    in_sequence_ = goes_on ? in_sequence_ + length : length;
    furthest_ = goes_on ? std::max(furthest_, offset + length) : offset + length;
    if (!goes_on) {
      began_ = offset;
      asked_until_ = 0;
    }
    if (!is_sure()) {
      return {};
    }
    const uint64_t begin = std::max(asked_until_, furthest_);
    const uint64_t end = std::min(furthest_ + kWindowBytes, file_bytes);
    if (begin >= end || (end - begin < kStepBytes && end < file_bytes)) {
      return {};
    }
    asked_until_ = end;
    return {begin, end - begin};
  }

  bool is_sure() const { return in_sequence_ >= kSureBytes && in_sequence_ >= (furthest_ - began_) / 2; }

 private:
  static constexpr uint64_t kNearBytes = uint64_t{4} << 20;
  static constexpr uint64_t kSureBytes = uint64_t{2} << 20;

  uint64_t began_ = 0;
  uint64_t furthest_ = 0;
  uint64_t in_sequence_ = 0;  // bytes
  uint64_t asked_until_ = 0;
};

}  // namespace forebay::fuse
