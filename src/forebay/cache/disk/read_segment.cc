// Reads what a segment of an earlier run holds.
#include <algorithm>
#include <array>
#include <span>

#include "forebay/base/round_up.h"
#include "forebay/cache/disk/segment.h"

namespace forebay::cache {
namespace {

constexpr uint64_t kWindowBytes = 64 << 10;

/// Whether all of the entry takes space: what was punched, or never written, has holes.
bool has_data(const std::vector<Extent>& extents, uint64_t begin, uint64_t end) {
  const auto behind =
      std::upper_bound(extents.begin(), extents.end(), begin,
                       [](uint64_t at, const Extent& extent) { return at < extent.begin_bytes; });
  return behind != extents.begin() && std::prev(behind)->end_bytes >= end;
}

std::optional<std::vector<EntryRecord>> read_footer(const File& file, uint64_t salt, uint64_t size_bytes) {
  std::array<std::byte, kPlaceBytes> trailer;
  if (!file.read(size_bytes - kPlaceBytes, trailer).ok()) {
    return std::nullopt;
  }
  const std::optional<FooterPlace> place = parse_trailer(trailer, salt, size_bytes);
  if (!place) {
    return std::nullopt;
  }
  std::vector<std::byte> footer(place->length_bytes);
  if (!file.read(place->offset_bytes, footer).ok()) {
    return std::nullopt;
  }
  return parse_footer(footer, *place);
}

/// Looks for blocks wherever there is data. A window holds no part of a block: all begin at multiples of 64.
class BlockScan {
 public:
  BlockScan(const File& file, uint64_t salt, uint64_t size_bytes)
      : file_(file), salt_(salt), size_bytes_(size_bytes) {}

  Result<std::vector<EntryRecord>> run(const std::vector<Extent>& extents) {
    uint64_t at = kBlockBytes;
    for (const Extent& extent : extents) {
      at = std::max(at, round_up(extent.begin_bytes, kPlaceBytes));
      while (at + kBlockBytes <= std::min(extent.end_bytes, size_bytes_)) {
        FOREBAY_ASSIGN_OR_RETURN(at, step(at, extents));
      }
    }
    return std::move(entries_);
  }

 private:
  /// Takes the block at `at`, if there is one. Returns where to look next.
  Result<uint64_t> step(uint64_t at, const std::vector<Extent>& extents) {
    if (at < window_begin_ || at + kBlockBytes > window_begin_ + window_.size()) {
      window_begin_ = at;
      window_.resize(std::min(kWindowBytes, size_bytes_ - at) / kBlockBytes * kBlockBytes);
      FOREBAY_RETURN_IF_ERROR(file_.read(at, window_));
    }
    std::optional<EntryBlock> block =
        parse_block(Bytes(window_).subspan(at - window_begin_, kBlockBytes), salt_);
    if (!block) {
      return at + kPlaceBytes;
    }
    const uint64_t end =
        at + layout_of(block->entry.length_bytes, block->uri_bytes + block->version_bytes).total_bytes;
    if (end > size_bytes_ || !has_data(extents, at, at + kBlockBytes + block->entry.length_bytes)) {
      return at + kPlaceBytes;
    }
    block->entry.place = static_cast<uint32_t>(at / kPlaceBytes);
    entries_.push_back(block->entry);
    return end;
  }

  const File& file_;
  const uint64_t salt_;
  const uint64_t size_bytes_;
  std::vector<std::byte> window_;
  uint64_t window_begin_ = 0;
  std::vector<EntryRecord> entries_;
};

}  // namespace

Result<SegmentContents> read_segment(const File& file) {
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t size_bytes, file.size_bytes());
  std::array<std::byte, kBlockBytes> header;
  if (size_bytes < 2 * kBlockBytes) {
    return data_loss("too short for a segment");
  }
  FOREBAY_RETURN_IF_ERROR(file.read(0, header));
  const std::optional<uint64_t> salt = parse_segment_header(header);
  if (!salt) {
    return data_loss("not a segment");
  }
  SegmentContents contents = {.salt = *salt, .end_place = size_bytes / kPlaceBytes};
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<Extent> extents, file.data_extents());
  if (std::optional<std::vector<EntryRecord>> footer = read_footer(file, *salt, size_bytes)) {
    contents.entries = *std::move(footer);
    contents.is_sealed = true;
    std::erase_if(contents.entries, [&](const EntryRecord& entry) {
      const uint64_t begin = entry.place * kPlaceBytes;
      constexpr uint64_t kLeastTextBytes = 1;  // a footer does not say how long its names are
      return !has_data(extents, begin, begin + layout_of(entry.length_bytes, kLeastTextBytes).total_bytes);
    });
    return contents;
  }
  FOREBAY_ASSIGN_OR_RETURN(contents.entries, BlockScan(file, *salt, size_bytes).run(extents));
  return contents;
}

}  // namespace forebay::cache
