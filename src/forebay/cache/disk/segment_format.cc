#include "forebay/cache/disk/segment_format.h"

#include "forebay/base/crc32c.h"
#include "forebay/base/round_up.h"
#include "forebay/cache/disk/word_codec.h"

namespace forebay::cache {
namespace {

constexpr uint64_t kSegmentMagic = 0x31544e4547534246;  // "FBSGENT1"
constexpr uint64_t kTrailerMagic = 0x31444e4547534246;
constexpr uint8_t kWholeTail = 1;

/// Fills up to `size_bytes` with zeros and puts a checksum of all of it into the last four bytes.
std::string sealed(std::string bytes, size_t size_bytes) {
  bytes.resize(size_bytes - sizeof(uint32_t), '\0');
  append_word(&bytes, crc32c(bytes_of(bytes)));
  return bytes;
}

bool is_sealed(Bytes bytes, size_t size_bytes) {
  if (bytes.size() != size_bytes) {
    return false;
  }
  const Bytes body = bytes.first(size_bytes - sizeof(uint32_t));
  return WordReader(bytes.subspan(body.size())).take<uint32_t>() == crc32c(body);
}

void append_entry(std::string* bytes, const EntryRecord& entry) {
  append_word(bytes, entry.key.object.high);
  append_word(bytes, entry.key.object.low);
  append_word(bytes, entry.key.start_bytes);
  append_word(bytes, entry.length_bytes);
  append_word(bytes, entry.expires_s);
  append_word(bytes, entry.priority);
  append_word(bytes, static_cast<uint8_t>(entry.is_whole_tail ? kWholeTail : 0));
}

/// Keeps sums of starts and lengths far from overflow.
bool is_sane(const EntryRecord& entry) {
  return entry.key.start_bytes < uint64_t{1} << 62;
}

EntryRecord take_entry(WordReader* words) {
  EntryRecord entry;
  entry.key.object.high = words->take<uint64_t>();
  entry.key.object.low = words->take<uint64_t>();
  entry.key.start_bytes = words->take<uint64_t>();
  entry.length_bytes = words->take<uint32_t>();
  entry.expires_s = words->take<uint32_t>();
  entry.priority = words->take<int8_t>();
  entry.is_whole_tail = (words->take<uint8_t>() & kWholeTail) != 0;
  return entry;
}

}  // namespace

EntryLayout layout_of(uint64_t length_bytes, uint64_t text_bytes) {
  EntryLayout layout;
  layout.text_offset = kBlockBytes + round_up(length_bytes + kZerosBehind, kPlaceBytes);
  layout.total_bytes = layout.text_offset + round_up(text_bytes, kPlaceBytes);
  return layout;
}

std::string encode_segment_header(uint64_t salt) {
  std::string bytes;
  append_word(&bytes, kSegmentMagic);
  append_word(&bytes, salt);
  return sealed(std::move(bytes), kBlockBytes);
}

std::optional<uint64_t> parse_segment_header(Bytes bytes) {
  if (!is_sealed(bytes, kBlockBytes)) {
    return std::nullopt;
  }
  WordReader words(bytes);
  if (words.take<uint64_t>() != kSegmentMagic) {
    return std::nullopt;
  }
  return words.take<uint64_t>();
}

std::string encode_block(const EntryBlock& block, uint64_t salt) {
  std::string bytes;
  append_word(&bytes, salt);
  append_entry(&bytes, block.entry);
  append_word(&bytes, static_cast<uint16_t>(block.version_bytes));
  append_word(&bytes, block.content_crc);
  append_word(&bytes, block.uri_bytes);
  append_word(&bytes, block.text_crc);
  return sealed(std::move(bytes), kBlockBytes);
}

std::optional<EntryBlock> parse_block(Bytes bytes, uint64_t salt) {
  if (!is_sealed(bytes, kBlockBytes)) {
    return std::nullopt;
  }
  WordReader words(bytes);
  if (words.take<uint64_t>() != salt) {
    return std::nullopt;
  }
  EntryBlock block;
  block.entry = take_entry(&words);
  block.version_bytes = words.take<uint16_t>();
  block.content_crc = words.take<uint32_t>();
  block.uri_bytes = words.take<uint32_t>();
  block.text_crc = words.take<uint32_t>();
  if (!is_sane(block.entry) || block.uri_bytes > kMaxUriBytes || block.version_bytes > kMaxVersionBytes) {
    return std::nullopt;
  }
  return block;
}

uint64_t footer_bytes(size_t entries) {
  return entries * kFooterEntryBytes + kPlaceBytes;
}

std::string encode_footer(const std::vector<EntryRecord>& entries) {
  std::string bytes;
  bytes.reserve(entries.size() * kFooterEntryBytes);
  for (const EntryRecord& entry : entries) {
    append_entry(&bytes, entry);
    append_word(&bytes, uint16_t{0});
    append_word(&bytes, entry.place);
  }
  return bytes;
}

std::string encode_trailer(const FooterPlace& footer, uint64_t salt) {
  std::string bytes;
  append_word(&bytes, kTrailerMagic);
  append_word(&bytes, salt);
  append_word(&bytes, footer.offset_bytes);
  append_word(&bytes, footer.length_bytes);
  append_word(&bytes, footer.crc);
  return sealed(std::move(bytes), kPlaceBytes);
}

std::optional<FooterPlace> parse_trailer(Bytes bytes, uint64_t salt, uint64_t segment_bytes) {
  if (!is_sealed(bytes, kPlaceBytes)) {
    return std::nullopt;
  }
  WordReader words(bytes);
  if (words.take<uint64_t>() != kTrailerMagic || words.take<uint64_t>() != salt) {
    return std::nullopt;
  }
  FooterPlace place;
  place.offset_bytes = words.take<uint64_t>();
  place.length_bytes = words.take<uint64_t>();
  place.crc = words.take<uint32_t>();
  if (place.offset_bytes > segment_bytes || place.length_bytes > segment_bytes - place.offset_bytes ||
      place.length_bytes % kFooterEntryBytes != 0) {
    return std::nullopt;
  }
  return place;
}

std::optional<std::vector<EntryRecord>> parse_footer(Bytes bytes, const FooterPlace& place) {
  if (bytes.size() != place.length_bytes || bytes.size() % kFooterEntryBytes != 0 ||
      crc32c(bytes) != place.crc) {
    return std::nullopt;
  }
  std::vector<EntryRecord> entries(bytes.size() / kFooterEntryBytes);
  uint64_t end = kBlockBytes;
  WordReader words(bytes);
  for (EntryRecord& entry : entries) {
    entry = take_entry(&words);
    words.take<uint16_t>();
    entry.place = words.take<uint32_t>();
    const uint64_t begin = entry.place * kPlaceBytes;
    if (begin < end || !is_sane(entry)) {
      return std::nullopt;
    }
    end = begin + layout_of(entry.length_bytes, 0).total_bytes;
    if (end > place.offset_bytes) {
      return std::nullopt;
    }
  }
  return entries;
}

}  // namespace forebay::cache
