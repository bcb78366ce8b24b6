// Tells whether a file is read at equal steps, as fixed-size records of which every n-th is wanted, and what
// to have near before its reader asks for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "forebay/fuse/file_part.h"

namespace forebay::fuse {

/// A record is what is read without a gap; the steps may go to the front, too. Not thread safe.
class StridedReads {
 public:
  static constexpr uint64_t kWindowBytes = uint64_t{16} << 20;  // so much ahead
  static constexpr int64_t kMostAhead = 32;                     // and so many records
  static constexpr int64_t kSureSteps = 3;                      // equal ones

  /// Takes note of a read. Returns the records that are wanted next, each once: none until some steps were
  /// equal, and then half of those that may be ahead, or more.
  std::vector<FilePart> note(uint64_t offset, uint64_t length, uint64_t file_bytes) {
    const auto begin = static_cast<int64_t>(offset);
    const auto end = static_cast<int64_t>(offset + length);
    if (length == 0 || file_bytes > kMostFileBytes) {
      return {};
    }
    if (record_ && begin <= record_->end && end >= record_->begin) {
      record_->begin = std::min(record_->begin, begin);
      record_->end = std::max(record_->end, end);
      return {};
    }
    const std::optional<Span> before = record_;
    record_ = Span{begin, end};
    if (before) {
      note_step(*before);
    }
    return steps_ < kSureSteps ? std::vector<FilePart>() : parts_ahead(static_cast<int64_t>(file_bytes));
  }

 private:
  static constexpr int64_t kPageBytes = 4096;                    // the kernel asks for whole pages
  static constexpr uint64_t kMostFileBytes = uint64_t{1} << 56;  // of which no product is too large

  struct Span {
    int64_t begin = 0;
    int64_t end = 0;
  };

  void note_step(const Span& before) {
    const int64_t step = record_->begin - before.begin;
    const bool is_as_before =
        steps_ > 0 && (step > 0) == (first_step_ > 0) && std::abs(step - mean_step()) <= kPageBytes;
    if (!is_as_before) {
      first_begin_ = before.begin;
      first_step_ = step;
      slack_bytes_ = 0;
      steps_ = 0;
      handed_out_ = 0;
      record_bytes_ = 0;
    }
    if (step != first_step_) {
      slack_bytes_ = kPageBytes;
    }
    ++steps_;
    last_begin_ = record_->begin;
    record_bytes_ = std::max(record_bytes_, before.end - before.begin);
  }

  /// The kernel's offsets are those of pages, so steps may differ by one.
  int64_t mean_step() const { return (last_begin_ - first_begin_) / steps_; }

  std::vector<FilePart> parts_ahead(int64_t file_bytes) {
    const int64_t pieces_bytes = std::max(record_bytes_, static_cast<int64_t>(kPieceBytes));
    const int64_t cost_bytes = std::min(pieces_bytes, std::abs(mean_step()));
    const int64_t most = std::clamp(static_cast<int64_t>(kWindowBytes) / cost_bytes, int64_t{1}, kMostAhead);
    handed_out_ = std::max(handed_out_, steps_);
    const int64_t last = steps_ + most;
    if (last - handed_out_ < (most + 1) / 2) {
      return {};
    }
    std::vector<FilePart> parts;
    for (int64_t number = handed_out_ + 1; number <= last; ++number) {
      const int64_t from = last_begin_ + (last_begin_ - first_begin_) * (number - steps_) / steps_;
      const int64_t begin = std::clamp(from - slack_bytes_, int64_t{0}, file_bytes);
      const int64_t end = std::clamp(from + record_bytes_ + slack_bytes_, int64_t{0}, file_bytes);
      if (begin < end) {
        parts.push_back({static_cast<uint64_t>(begin), static_cast<uint64_t>(end - begin)});
      }
    }
    handed_out_ = last;
    return parts;
  }

  std::optional<Span> record_;  // the one that is being read
  int64_t first_begin_ = 0;     // of the first record of the row
  int64_t last_begin_ = 0;
  int64_t first_step_ = 0;
  int64_t slack_bytes_ = 0;   // how far a record may lie from where it is thought to
  int64_t steps_ = 0;         // equal ones, to the record that is being read
  int64_t record_bytes_ = 0;  // the most of those before
  int64_t handed_out_ = 0;    // records of the row, by number
};

}  // namespace forebay::fuse
