#include "forebay/cache/disk/segment.h"

#include <algorithm>
#include <array>
#include <limits>

#include "forebay/base/check.h"
#include "forebay/base/crc32c.h"
#include "forebay/base/round_up.h"
#include "forebay/cache/disk/word_codec.h"

namespace forebay::cache {
namespace {

constexpr EntrySlot kGoneSlot = std::numeric_limits<EntrySlot>::max();
constexpr EntrySlot kNeverWrittenSlot = kGoneSlot - 1;
constexpr uint64_t kMaxMovedBytes = kFileBlockBytes / 4 * 3;  // to free a block

bool is_gone(EntrySlot slot) {
  return slot >= kNeverWrittenSlot;
}
constexpr std::array<std::byte, kZerosBehind + 2 * kPlaceBytes> kZeros{};

}  // namespace

Segment::Segment(std::shared_ptr<FileSystem> files, std::string path, uint32_t directory, uint64_t size_bytes,
                 uint64_t salt)
    : EntryFile(std::move(files), std::move(path), directory, /*is_earlier=*/false),
      size_bytes_(size_bytes),
      salt_(salt) {
}

Segment::Segment(std::shared_ptr<FileSystem> files, std::string path, uint32_t directory,
                 const SegmentContents& contents, const std::vector<EntrySlot>& slots)
    : EntryFile(std::move(files), std::move(path), directory, /*is_earlier=*/true),
      is_closed(true),
      was_told(true),
      size_bytes_(contents.end_place * kPlaceBytes),
      salt_(contents.salt),
      next_place_(contents.end_place),
      live_(slots.size()) {
  items_.reserve(slots.size());
  uint64_t charged_to = 0;  // blocks that entries share count once
  for (size_t i = 0; i < slots.size(); ++i) {
    items_.push_back({contents.entries[i].place, slots[i]});
    const uint64_t begin = contents.entries[i].place * kPlaceBytes;
    const uint64_t end = begin + layout_of(contents.entries[i].length_bytes, 0).total_bytes;
    const uint64_t first_block = std::max(charged_to, begin / kFileBlockBytes * kFileBlockBytes);
    charged_to = round_up(end, kFileBlockBytes);
    charged_bytes_ += charged_to - std::min(charged_to, first_block);
  }
}

Extent Segment::content_of(const EntryRecord& entry) const {
  const uint64_t begin = entry.place * kPlaceBytes + kBlockBytes;
  return {begin, begin + entry.length_bytes};
}

Status Segment::create() {
  FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<File> made,
                           files().create(WritePoint::kCreateSegment, path(), size_bytes_));
  const std::string header = encode_segment_header(salt_);
  const Bytes parts[] = {bytes_of(header)};
  const Status written = made->write(WritePoint::kCreateSegment, 0, parts);
  if (!written.ok()) {
    files().remove(WritePoint::kRemoveSegment, path()).IgnoreError();  // the next entry begins it anew
    return written;
  }
  file_ = std::move(made);
  return ok_status();
}

Status Segment::write(const EntryRecord& entry, const ObjectText& object, Bytes content) {
  std::shared_ptr<File> file;
  {
    const MutexLock lock(file_mutex_);
    if (!file_) {
      FOREBAY_RETURN_IF_ERROR(create());
    }
    file = file_;
  }
  EntryBlock block = {.entry = entry, .content_crc = crc32c(content)};
  block.uri_bytes = static_cast<uint32_t>(object.uri.size());
  block.version_bytes = static_cast<uint32_t>(object.version.size());
  block.text_crc = crc32c(bytes_of(object.version), crc32c(bytes_of(object.uri)));
  const EntryLayout layout = layout_of(content.size(), object.uri.size() + object.version.size());
  const std::string block_bytes = encode_block(block, salt_);
  const Bytes parts[] = {bytes_of(block_bytes), content,
                         Bytes(kZeros).first(layout.text_offset - kBlockBytes - content.size()),
                         bytes_of(object.uri), bytes_of(object.version)};
  return file->write(WritePoint::kWriteEntry, entry.place * kPlaceBytes, parts);
}

Result<std::optional<EntryBlock>> Segment::block_of(const File& file, const EntryRecord& entry) const {
  std::array<std::byte, kBlockBytes> bytes;
  FOREBAY_RETURN_IF_ERROR(file.read(entry.place * kPlaceBytes, bytes));
  std::optional<EntryBlock> block = parse_block(bytes, salt_);
  if (block && (block->entry.key != entry.key || block->entry.length_bytes != entry.length_bytes)) {
    block.reset();
  }
  return block;
}

Result<std::optional<ObjectNames>> Segment::names_of(const EntryRecord& entry) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, open(false));
  FOREBAY_ASSIGN_OR_RETURN(const std::optional<EntryBlock> block, block_of(*file, entry));
  if (!block) {
    return std::optional<ObjectNames>();
  }
  return read_names(*file, entry.place * kPlaceBytes + layout_of(entry.length_bytes, 0).text_offset,
                    block->uri_bytes, block->version_bytes, entry.key.object);
}

Result<bool> Segment::check(const EntryRecord& entry, const ObjectText& object) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, open(false));
  FOREBAY_ASSIGN_OR_RETURN(const std::optional<EntryBlock> block, block_of(*file, entry));
  if (!block || block->uri_bytes != object.uri.size() || block->version_bytes != object.version.size()) {
    return false;
  }
  const std::string expected = std::string(object.uri) + std::string(object.version);
  std::string text(expected.size(), '\0');
  FOREBAY_RETURN_IF_ERROR(file->read(entry.place * kPlaceBytes + layout_of(entry.length_bytes, 0).text_offset,
                                     std::as_writable_bytes(std::span(text))));
  if (text != expected) {
    return false;
  }
  FOREBAY_ASSIGN_OR_RETURN(const uint32_t crc, crc_of(*file, content_of(entry)));
  return crc == block->content_crc;
}

Result<std::optional<StoredEntry>> Segment::read(const EntryRecord& entry) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, open(false));
  FOREBAY_ASSIGN_OR_RETURN(const std::optional<EntryBlock> block, block_of(*file, entry));
  FOREBAY_ASSIGN_OR_RETURN(std::optional<ObjectNames> names, names_of(entry));
  if (!block || !names) {
    return std::optional<StoredEntry>();
  }
  FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef content,
                           memory::Buffer::allocate(entry.length_bytes + kZerosBehind));
  const MutableBytes bytes = content->mutable_bytes();
  FOREBAY_RETURN_IF_ERROR(file->read(content_of(entry).begin_bytes, bytes.first(entry.length_bytes)));
  std::ranges::fill(bytes.subspan(entry.length_bytes), std::byte{0});
  if (crc32c(bytes.first(entry.length_bytes)) != block->content_crc) {
    return std::optional<StoredEntry>();
  }
  return StoredEntry{.names = *std::move(names), .content = std::move(content)};
}

Status Segment::remove() {
  const MutexLock lock(file_mutex_);
  file_.reset();
  return files().remove(WritePoint::kRemoveSegment, path());
}

Status Segment::punch(Extent extent) {
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, open(true));
  return file->punch(WritePoint::kPunchEntry, extent);
}

Status Segment::seal(const std::vector<EntryRecord>& entries) {
  std::shared_ptr<File> file;
  {
    const MutexLock lock(file_mutex_);
    file.swap(file_);
  }
  if (!file || entries.empty()) {
    return ok_status();
  }
  const std::string footer = encode_footer(entries);
  const FooterPlace place = {next_place_ * kPlaceBytes, footer.size(), crc32c(bytes_of(footer))};
  const Bytes footer_part[] = {bytes_of(footer)};
  FOREBAY_RETURN_IF_ERROR(file->write(WritePoint::kWriteFooter, place.offset_bytes, footer_part));
  const std::string trailer = encode_trailer(place, salt_);
  const Bytes trailer_part[] = {bytes_of(trailer)};
  return file->write(WritePoint::kWriteFooter, size_bytes_ - kPlaceBytes, trailer_part);
}

std::optional<uint32_t> Segment::append(EntrySlot slot, uint64_t length_bytes, uint64_t text_bytes) {
  const uint64_t begin = next_place_ * kPlaceBytes;
  const uint64_t end = begin + layout_of(length_bytes, text_bytes).total_bytes;
  if (is_closed || end + footer_bytes(items_.size() + 1) > size_bytes_) {
    return std::nullopt;
  }
  const uint32_t place = static_cast<uint32_t>(next_place_);
  items_.push_back({place, slot});
  ++live_;
  next_place_ = end / kPlaceBytes;
  charged_bytes_ += round_up(end, kFileBlockBytes) - round_up(begin, kFileBlockBytes);
  return place;
}

std::vector<Segment::Item>::const_iterator Segment::item_at(uint32_t place) const {
  return std::lower_bound(items_.begin(), items_.end(), place,
                          [](const Item& item, uint32_t wanted) { return item.place < wanted; });
}

uint64_t Segment::end_of(std::vector<Item>::const_iterator item) const {
  return (std::next(item) == items_.end() ? next_place_ : std::next(item)->place) * kPlaceBytes;
}

Extent Segment::extent_of(uint32_t place) const {
  return {place * kPlaceBytes, end_of(item_at(place))};
}

Segment::Few Segment::few_at(uint64_t offset_bytes) const {
  const uint64_t end = offset_bytes + kFileBlockBytes;
  if (!is_closed && end > next_place_ * kPlaceBytes) {
    return {};
  }
  Few few;
  auto item = item_at(static_cast<uint32_t>(offset_bytes / kPlaceBytes));
  if (item != items_.begin() && end_of(std::prev(item)) > offset_bytes) {
    --item;
  }
  for (; item != items_.end() && item->place * kPlaceBytes < end; ++item) {
    if (!is_gone(item->slot)) {
      few.slots.push_back(item->slot);
      few.bytes += end_of(item) - item->place * kPlaceBytes;
    }
    if (few.bytes > kMaxMovedBytes) {
      return {};
    }
  }
  return few;
}

Segment::Blocks Segment::drop(uint32_t place, bool was_written) {
  const auto item = items_.begin() + (item_at(place) - items_.cbegin());
  FOREBAY_CHECK(item != items_.end() && item->place == place && !is_gone(item->slot));
  item->slot = was_written ? kGoneSlot : kNeverWrittenSlot;
  --live_;
  // The entry's first and last block may be shared with neighbours. They are free if those went, too.
  const uint64_t first_block = place * kPlaceBytes / kFileBlockBytes * kFileBlockBytes;
  const uint64_t last_block_end = round_up(end_of(item), kFileBlockBytes);
  auto first = item;
  while (first->place * kPlaceBytes > first_block && first != items_.begin() &&
         is_gone(std::prev(first)->slot)) {
    --first;
  }
  auto last = item;
  while (end_of(last) < last_block_end && std::next(last) != items_.end() && is_gone(std::next(last)->slot)) {
    ++last;
  }
  const uint64_t begin = std::max(first_block, round_up(first->place * kPlaceBytes, kFileBlockBytes));
  const uint64_t end = std::min(last_block_end, end_of(last) / kFileBlockBytes * kFileBlockBytes);
  const bool may_hold_data = begin < end && std::any_of(first, std::next(last), [](const Item& each) {
                               return each.slot == kGoneSlot;
                             });
  return {{begin, std::max(begin, end)}, may_hold_data};
}

std::vector<EntrySlot> Segment::slots() const {
  std::vector<EntrySlot> live;
  for (const Item& item : items_) {
    if (!is_gone(item.slot)) {
      live.push_back(item.slot);
    }
  }
  return live;
}

}  // namespace forebay::cache
