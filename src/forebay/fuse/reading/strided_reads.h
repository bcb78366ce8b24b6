// Tells whether a file is read at equal steps, as samplers of fixed-size records do, and what to have near
// before its reader asks for it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "forebay/fuse/reading/file_part.h"

namespace forebay::fuse {

/// A record is what is read without a gap, by one request or several, which come in any order. Steps may go
/// backwards. Not thread safe.
class StridedReads {
 public:
  /// Takes note of a read. Returns the records that are wanted next, each once: none until three steps were
  /// equal, and then half of those that may be ahead, or more. These are as many as take kWindowBytes to
  /// bring, and no more than eight times as many as were read.
  std::vector<FilePart> note(uint64_t offset, uint64_t length, uint64_t file_bytes);

  /// Whether the last reads were such records, so that nothing between them is wanted.
  bool is_sure() const { return row_.has_value(); }

 private:
  struct Span {
    int64_t begin = 0;
    int64_t end = 0;

    int64_t bytes() const { return end - begin; }
  };
  /// Records at equal steps. Their offsets are those of pages, so steps may differ by a page.
  struct Row {
    int64_t first_begin = 0;
    int64_t last_begin = 0;  // of the record that is being read
    int64_t first_step = 0;
    int64_t steps = 0;
    int64_t record_bytes = 0;  // the most
    int64_t handed_out = 0;    // records, by number
    bool is_even = true;       // all steps are the same to the byte

    int64_t mean_step() const { return (last_begin - first_begin) / steps; }
    bool is_of_this_record(const Span& read) const;
    bool is_of_next_record(const Span& read) const;
    void take(const Span& read);
    void advance(const Span& read);
    bool is_one() const;
    FilePart part(int64_t number, int64_t file_bytes) const;
    std::vector<FilePart> parts_ahead(int64_t file_bytes);
  };

  bool add_span(Span read);
  std::optional<Row> find_row() const;

  std::vector<Span> spans_;  // the last ones, in the order in which they began; while there is no row
  std::optional<Row> row_;
};

}  // namespace forebay::fuse
