#include "forebay/codec/tiff/tiff_pages.h"

#include "forebay/codec/byte_order.h"

namespace forebay::codec {
namespace {

/// Widths of the two kinds of TIFF.
struct TiffWidths {
  uint64_t offset_bytes = 4;
  uint64_t count_bytes = 2;  // of a directory's number of tags
  uint64_t tag_bytes = 12;
  uint64_t first_at = 4;  // where the header says where the first directory is
};

constexpr TiffWidths kClassic;
constexpr TiffWidths kBig = {8, 8, 20, 8};

class TiffChain {
 public:
  explicit TiffChain(Bytes bytes)
      : bytes_(bytes),
        is_big_endian_(bytes[0] == std::byte{'M'}),
        widths_(number(2, 2) == 43 ? kBig : kClassic) {}

  /// Finds loops without a memory of the way: a directory is compared with the one marked last, and every
  /// power of two is marked (Brent's algorithm). That may be late; so the page itself is looked for once
  /// more.
  Result<uint64_t> offset_of(int64_t page) const {
    FOREBAY_ASSIGN_OR_RETURN(uint64_t offset, offset_at(widths_.first_at, 0));
    uint64_t marked = 0;
    int64_t marked_at = 0;
    int64_t at = 0;
    for (; offset != 0; ++at) {
      if (offset == marked) {
        return loop_of(at - marked_at);
      }
      if (at == page) {
        FOREBAY_ASSIGN_OR_RETURN(const int64_t first_at, first_page_at(offset));
        return first_at == page ? Result<uint64_t>(offset) : loop_of(page - first_at);
      }
      if (at >= 2 * marked_at) {
        marked = offset;
        marked_at = at;
      }
      FOREBAY_ASSIGN_OR_RETURN(offset, offset_behind(offset, at));
    }
    return out_of_range("page {} of the TIFF is asked for, which has {} page{}, the first of which is 0",
                        page, at, at == 1 ? "" : "s");
  }

 private:
  uint64_t number(uint64_t at, uint64_t width) const {
    uint64_t value = 0;
    for (uint64_t i = 0; i < width; ++i) {
      const uint64_t place = is_big_endian_ ? at + i : at + width - 1 - i;
      value = value << 8 | static_cast<uint64_t>(bytes_[place]);
    }
    return value;
  }

  bool has(uint64_t at, uint64_t count) const { return at <= bytes_.size() && bytes_.size() - at >= count; }

  Result<uint64_t> offset_at(uint64_t at, int64_t page) const {
    if (!has(at, widths_.offset_bytes)) {
      return data_loss("TIFF is truncated at byte {}: the directory of page {} lies beyond", bytes_.size(),
                       page);
    }
    return number(at, widths_.offset_bytes);
  }

  /// Where the directory behind the one at `offset`, of page `page`, is; 0: there is none.
  Result<uint64_t> offset_behind(uint64_t offset, int64_t page) const {
    const uint64_t tags = has(offset, widths_.count_bytes) ? number(offset, widths_.count_bytes) : UINT64_MAX;
    if (tags > bytes_.size() / widths_.tag_bytes) {
      return data_loss("TIFF is truncated at byte {}: the directory of page {}, at byte {}, goes beyond",
                       bytes_.size(), page, offset);
    }
    return offset_at(offset + widths_.count_bytes + tags * widths_.tag_bytes, page);
  }

  /// The first page whose directory is at `offset`, which a page's is.
  Result<int64_t> first_page_at(uint64_t offset) const {
    FOREBAY_ASSIGN_OR_RETURN(uint64_t other, offset_at(widths_.first_at, 0));
    int64_t at = 0;
    for (; other != offset; ++at) {
      FOREBAY_ASSIGN_OR_RETURN(other, offset_behind(other, at));
    }
    return at;
  }

  /// The error for a chain in whose loop `distance` pages further is the same page again.
  Status loop_of(int64_t distance) const {
    FOREBAY_ASSIGN_OR_RETURN(const uint64_t first, offset_at(widths_.first_at, 0));
    uint64_t ahead = first;
    for (int64_t i = 0; i < distance; ++i) {
      FOREBAY_ASSIGN_OR_RETURN(ahead, offset_behind(ahead, i));
    }
    uint64_t offset = first;
    int64_t begin = 0;
    for (; offset != ahead; ++begin) {
      FOREBAY_ASSIGN_OR_RETURN(offset, offset_behind(offset, begin));
      FOREBAY_ASSIGN_OR_RETURN(ahead, offset_behind(ahead, begin + distance));
    }
    int64_t last = begin;
    FOREBAY_ASSIGN_OR_RETURN(ahead, offset_behind(offset, last));
    while (ahead != offset) {
      ++last;
      FOREBAY_ASSIGN_OR_RETURN(ahead, offset_behind(ahead, last));
    }
    return data_loss("TIFF's directories form a loop: behind page {} comes page {} again (byte {})", last,
                     begin, offset);
  }

  const Bytes bytes_;
  const bool is_big_endian_;
  const TiffWidths widths_;
};

}  // namespace

Result<uint64_t> tiff_page_offset(Bytes bytes, int64_t page) {
  return TiffChain(bytes).offset_of(page);
}

}  // namespace forebay::codec
