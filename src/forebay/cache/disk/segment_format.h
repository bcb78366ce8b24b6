// The bytes of a segment: a file of fixed size to which entries are appended.
//
//   [header 64] ([block 64][content][zeros >= 64][URI, version][zeros])* [footer] ... [trailer 64]
//
// Everything begins at a multiple of 64. A block describes the entry behind it; the footer repeats, once the
// segment is full, what the index needs of all of them. Each structure has its own CRC-32C and the segment's
// salt, a random number, so that cached bytes that look like a block are none. A reader needs no order of
// writes: whatever is missing, old or torn fails a checksum.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/cache/entries/entry_key.h"

namespace forebay::cache {

inline constexpr uint64_t kFileBlockBytes = 4096;  // what file systems allocate and give back
inline constexpr uint64_t kPlaceBytes = 64;        // the unit of places in a file
inline constexpr uint64_t kBlockBytes = 64;
inline constexpr uint64_t kFooterEntryBytes = 40;
/// Zeros behind each content, for decoders that read too far.
inline constexpr uint64_t kZerosBehind = 64;
inline constexpr size_t kMaxUriBytes = 65'536;
inline constexpr size_t kMaxVersionBytes = 4'096;

/// One entry as its segment describes it.
struct EntryRecord {
  EntryKey key;
  uint32_t length_bytes = 0;
  uint32_t place = 0;  // of its block, in units of kPlaceBytes
  uint32_t expires_s = 0;
  int8_t priority = 0;
  bool is_whole_tail = false;
};

struct EntryBlock {
  EntryRecord entry;  // without the place
  uint32_t content_crc = 0;
  uint32_t uri_bytes = 0;
  uint32_t version_bytes = 0;
  uint32_t text_crc = 0;  // of the URI and the version behind it
};

/// Where the parts of an entry lie, from its block on.
struct EntryLayout {
  uint64_t text_offset = 0;
  uint64_t total_bytes = 0;
};
EntryLayout layout_of(uint64_t length_bytes, uint64_t text_bytes);

std::string encode_segment_header(uint64_t salt);
/// The salt; nothing if these are no segment's first bytes.
std::optional<uint64_t> parse_segment_header(Bytes bytes);

std::string encode_block(const EntryBlock& block, uint64_t salt);
std::optional<EntryBlock> parse_block(Bytes bytes, uint64_t salt);

struct FooterPlace {
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
  uint32_t crc = 0;
};
/// What the footer of `entries` and the trailer behind it take.
uint64_t footer_bytes(size_t entries);
std::string encode_footer(const std::vector<EntryRecord>& entries);
std::string encode_trailer(const FooterPlace& footer, uint64_t salt);
/// Nothing if the last bytes of a segment of `segment_bytes` are no trailer, or name a footer outside it.
std::optional<FooterPlace> parse_trailer(Bytes bytes, uint64_t salt, uint64_t segment_bytes);
/// Nothing if the checksum is wrong, or an entry does not lie before the footer and behind the one before it.
std::optional<std::vector<EntryRecord>> parse_footer(Bytes bytes, const FooterPlace& place);

}  // namespace forebay::cache
