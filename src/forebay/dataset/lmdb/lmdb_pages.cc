#include "forebay/dataset/lmdb/lmdb_pages.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "forebay/storage/parallel_calls.h"

namespace forebay::dataset {
namespace {

constexpr int64_t kSlowPageNs = 1'000'000;    // no page cache and no fast disk takes so long
constexpr uint64_t kMaxAheadBytes = 4 << 20;  // in pages, and in one run with what lies between them
constexpr uint64_t kMaxReadBytes = 16 << 20;  // at once, with what lies between pages
constexpr uint64_t kMaxPagesAhead = 256;
constexpr uint64_t kWidestPageGapBytes = 256 << 10;  // of pages that are read as one

/// Pages that are read as one, with what lies between them.
struct PageRun {
  uint64_t first = 0;
  uint64_t last = 0;
  std::vector<std::byte> bytes;
};

/// Pages that are read together.
class PagesAhead {
 public:
  PagesAhead(uint64_t first, uint64_t page_bytes)
      : page_bytes_(page_bytes), pages_{first}, bytes_(page_bytes) {}

  const std::set<uint64_t>& pages() const { return pages_; }

  /// Adds a page, unless too much would be read.
  bool add(uint64_t page) {
    const auto after = pages_.lower_bound(page);
    if (after != pages_.end() && *after == page) {
      return true;
    }
    uint64_t bytes = bytes_ + page_bytes_;
    if (after != pages_.end()) {
      bytes += gap_bytes(page, *after);
    }
    if (after != pages_.begin()) {
      const uint64_t before = *std::prev(after);
      bytes += gap_bytes(before, page);
      bytes -= after == pages_.end() ? 0 : gap_bytes(before, *after);
    }
    if (bytes > kMaxReadBytes) {
      return false;
    }
    bytes_ = bytes;
    pages_.insert(after, page);
    return true;
  }

 private:
  /// What is read between two pages.
  uint64_t gap_bytes(uint64_t page, uint64_t next) const {
    const uint64_t bytes = (next - page) * page_bytes_;
    return bytes <= kWidestPageGapBytes ? bytes - page_bytes_ : 0;
  }

  const uint64_t page_bytes_;
  std::set<uint64_t> pages_;
  uint64_t bytes_;
};

}  // namespace

Result<Bytes> LmdbPages::at(uint64_t number, std::span<const uint64_t> next) {
  if (is_slow_ && !fetched_.contains(number)) {
    FOREBAY_RETURN_IF_ERROR(fetch(number, next));
  }
  if (auto page = fetched_.extract(number); !page.empty()) {
    current_ = std::move(page.mapped());
    return Bytes(current_);
  }
  const int64_t began_ns = clock_.now_ns();
  Result<Bytes> page = reader_.at(number * page_bytes_, page_bytes_);
  is_slow_ = clock_.now_ns() - began_ns >= kSlowPageNs;
  return page;
}

Status LmdbPages::fetch(uint64_t number, std::span<const uint64_t> next) {
  const uint64_t pages = file_.size_bytes() / page_bytes_;
  const uint64_t most = std::min(kMaxAheadBytes / page_bytes_, kMaxPagesAhead);
  PagesAhead ahead(number, page_bytes_);
  for (auto place = next.rbegin(); place != next.rend() && ahead.pages().size() < most; ++place) {
    if (*place >= pages || !ahead.add(*place)) {
      break;
    }
  }
  std::vector<PageRun> runs;
  for (const uint64_t page : ahead.pages()) {
    const bool joins = !runs.empty() && (page - runs.back().last) * page_bytes_ <= kWidestPageGapBytes &&
                       (page - runs.back().first) * page_bytes_ < kMaxAheadBytes;
    if (joins) {
      runs.back().last = page;
    } else {
      runs.push_back({page, page, {}});
    }
  }
  const int64_t began_ns = clock_.now_ns();
  FOREBAY_RETURN_IF_ERROR(storage::run_parallel_calls(runs.size(), [&](size_t i) {
    runs[i].bytes.resize((runs[i].last - runs[i].first + 1) * page_bytes_);
    return file_.read(runs[i].first * page_bytes_, runs[i].bytes);
  }));
  is_slow_ = clock_.now_ns() - began_ns >= kSlowPageNs;
  auto run = runs.begin();
  for (const uint64_t page : ahead.pages()) {
    while (page > run->last) {
      ++run;
    }
    const auto begin = run->bytes.begin() + static_cast<ptrdiff_t>((page - run->first) * page_bytes_);
    fetched_.insert_or_assign(page, std::vector(begin, begin + static_cast<ptrdiff_t>(page_bytes_)));
  }
  return ok_status();
}

}  // namespace forebay::dataset
