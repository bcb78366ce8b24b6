// Tells whether a file is read from front to back, and what to have near before its reader asks for it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "forebay/fuse/reading/file_part.h"

namespace forebay::fuse {

/// Not thread safe.
class SequentialReads {
 public:
  static constexpr uint64_t kStepBytes = uint64_t{4} << 20;  // as much at a time

  /// Takes note of a read. The kernel has several under way, which come in any order; what is near the
  /// furthest one counts as going on from it. Returns what is wanted next, whole steps or the rest of the
  /// file, each once.
  FilePart note(uint64_t offset, uint64_t length, uint64_t file_bytes) {
    const bool goes_on = offset <= furthest_ + kNearBytes && offset + kNearBytes >= furthest_;
    if (!goes_on) {
      began_ = offset;
      furthest_ = offset;
      read_bytes_ = 0;
      asked_until_ = 0;
    }
    read_bytes_ += length;
    furthest_ = std::max(furthest_, offset + length);
    forget_the_first();
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

 private:
  static constexpr uint64_t kNearBytes = uint64_t{4} << 20;
  static constexpr uint64_t kSureBytes = uint64_t{2} << 20;

  /// The reader gets on, and leaves less than half out.
  bool is_sure() const {
    const uint64_t span = furthest_ - began_;
    return span >= kSureBytes && read_bytes_ >= span / 2;
  }

  /// How it was read lately says how it will be read.
  void forget_the_first() {
    const uint64_t span = furthest_ - began_;
    read_bytes_ = std::min(read_bytes_, span);
    if (span > 2 * kWindowBytes) {
      began_ += span / 2;
      read_bytes_ /= 2;
    }
  }

  uint64_t began_ = 0;
  uint64_t furthest_ = 0;
  uint64_t read_bytes_ = 0;  // since it began
  uint64_t asked_until_ = 0;
};

}  // namespace forebay::fuse
