#include "forebay/fuse/reading/strided_reads.h"

#include <algorithm>
#include <cstdlib>

namespace forebay::fuse {
namespace {

constexpr int64_t kPageBytes = 4096;                   // the kernel asks for whole pages
constexpr uint64_t kMaxFileBytes = uint64_t{1} << 56;  // of which no product below is too large
constexpr size_t kSpans = 4;                           // three steps
constexpr auto kWindow = static_cast<int64_t>(kWindowBytes);
constexpr auto kPiece = static_cast<int64_t>(kPieceBytes);

bool are_equal_steps(int64_t a, int64_t b) {
  return (a > 0) == (b > 0) && std::abs(a - b) <= kPageBytes;
}

}  // namespace

bool StridedReads::Row::is_of_this_record(const Span& read) const {
  return read.begin >= last_begin - kPageBytes && read.begin <= last_begin + record_bytes;
}

/// Also if it is not the record's first read.
bool StridedReads::Row::is_of_next_record(const Span& read) const {
  const int64_t behind = read.begin - (last_begin + mean_step());
  return behind >= -kPageBytes && behind <= std::max(kPageBytes, record_bytes - 1);
}

/// Its first request, which says where it begins, may come later than others.
void StridedReads::Row::take(const Span& read) {
  if (std::abs(read.begin - last_begin) <= kPageBytes) {
    is_even = is_even && read.begin == last_begin;
    last_begin = read.begin;
  }
  record_bytes = std::max(record_bytes, read.end - last_begin);
}

void StridedReads::Row::advance(const Span& read) {
  const int64_t expected = last_begin + mean_step();
  const int64_t begin = std::abs(read.begin - expected) <= kPageBytes ? read.begin : expected;
  is_even = is_even && begin - last_begin == first_step;
  last_begin = begin;
  ++steps;
  take(read);
}

/// Not if its records have grown together, or so long that each is read as a file is.
bool StridedReads::Row::is_one() const {
  return record_bytes < std::min(std::abs(mean_step()), kWindow);
}

/// A record that comes; where it is only known to a page, with as much around it.
FilePart StridedReads::Row::part(int64_t number, int64_t file_bytes) const {
  const int64_t ahead = number - steps;
  const int64_t slack = is_even ? 0 : kPageBytes * (1 + ahead / steps);
  const int64_t from = last_begin + (last_begin - first_begin) * ahead / steps;
  const int64_t begin = std::clamp(from - slack, int64_t{0}, file_bytes);
  const int64_t end = std::clamp(from + record_bytes + slack, int64_t{0}, file_bytes);
  return {static_cast<uint64_t>(begin), static_cast<uint64_t>(end - begin)};
}

std::vector<FilePart> StridedReads::Row::parts_ahead(int64_t file_bytes) {
  const bool has_own_pieces = is_even && first_step % kPiece == 0 && last_begin % kPiece == 0;
  const int64_t pieces_bytes = has_own_pieces ? std::max(record_bytes, kPiece) : record_bytes + kPiece;
  const int64_t brought_bytes = std::min(pieces_bytes, std::abs(mean_step()));
  const int64_t most = std::clamp(kWindow / brought_bytes, int64_t{1}, 8 * steps);
  handed_out = std::max(handed_out, steps);
  const int64_t last = steps + most;
  if (last - handed_out < (most + 1) / 2) {
    return {};
  }
  std::vector<FilePart> parts;
  for (int64_t number = handed_out + 1; number <= last; ++number) {
    const FilePart next = part(number, file_bytes);
    if (next.length_bytes > 0) {
      parts.push_back(next);
    }
  }
  handed_out = last;
  return parts;
}

/// Joins what a read touches. Returns whether it touches nothing, and so begins a record.
bool StridedReads::add_span(Span read) {
  size_t place = spans_.size();
  bool touches = false;
  Span all = read;
  for (size_t i = spans_.size(); i-- > 0;) {
    if (spans_[i].begin <= all.end && spans_[i].end >= all.begin) {
      all = {std::min(spans_[i].begin, all.begin), std::max(spans_[i].end, all.end)};
      spans_.erase(spans_.begin() + static_cast<std::ptrdiff_t>(i));
      place = i;
      touches = true;
    }
  }
  all.begin = std::max(all.begin, all.end - kWindow);  // of a long one its end: the rest may be read again
  spans_.insert(spans_.begin() + static_cast<std::ptrdiff_t>(place), all);
  if (spans_.size() > kSpans) {
    spans_.erase(spans_.begin());
  }
  return !touches;
}

/// The row that the last span goes on, whose first request need not be the record's first.
std::optional<StridedReads::Row> StridedReads::find_row() const {
  if (spans_.size() < kSpans) {
    return std::nullopt;
  }
  const Span& first = spans_[0];
  const Span& last = spans_[2];
  const int64_t step = spans_[1].begin - first.begin;
  if (!are_equal_steps(step, last.begin - spans_[1].begin)) {
    return std::nullopt;
  }
  Row row = {.first_begin = first.begin,
             .last_begin = last.begin,
             .first_step = step,
             .steps = 2,
             .record_bytes =
                 std::max(spans_[1].bytes(), last.bytes()),  // the kernel reads more of a file's first one
             .is_even = last.begin - spans_[1].begin == step};
  if (!row.is_of_next_record(spans_[3])) {
    return std::nullopt;
  }
  row.advance(spans_[3]);
  return row.is_one() ? std::optional<Row>(row) : std::nullopt;
}

std::vector<FilePart> StridedReads::note(uint64_t offset, uint64_t length, uint64_t file_bytes) {
  if (length == 0 || file_bytes > kMaxFileBytes) {
    return {};
  }
  const Span read = {static_cast<int64_t>(offset), static_cast<int64_t>(offset + length)};
  const bool is_next = row_ && row_->is_of_next_record(read);
  if (is_next) {
    row_->advance(read);
  } else if (row_ && row_->is_of_this_record(read)) {
    row_->take(read);
  } else {
    row_.reset();
  }
  if (row_ && !row_->is_one()) {
    row_.reset();
  }
  if (row_) {
    spans_.clear();
    return is_next ? row_->parts_ahead(static_cast<int64_t>(file_bytes)) : std::vector<FilePart>();
  }
  if (!add_span(read)) {
    return {};
  }
  row_ = find_row();
  return row_ ? row_->parts_ahead(static_cast<int64_t>(file_bytes)) : std::vector<FilePart>();
}

}  // namespace forebay::fuse
