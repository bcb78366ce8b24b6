// The two files of a large object. The content file holds the object's bytes at their own offsets, and has
// the object's size: nothing but them is in it, so whoever is given it can read the object there. It is
// sparse, for chunks that are not here are holes. The record file beside it says what is here:
//
//   [header 64][URI, version][zeros to a multiple of 16][a record of 16 bytes for each chunk]
//
// A record says that its chunk is there, until when, and its CRC-32C. All records together are the bitmap of
// the object.
// A record is written after its chunk and cleared before the chunk's space is given back; whatever order
// reaches the disk, a chunk that does not fit its record is not used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "forebay/base/byte_source.h"
#include "forebay/cache/entries/entry_key.h"

namespace forebay::cache {

inline constexpr uint64_t kObjectHeaderBytes = 64;
inline constexpr uint64_t kRecordBytes = 16;
/// The records of a larger object would take more than 128 MiB.
inline constexpr uint64_t kMaxObjectBytes = uint64_t{8} << 40;

struct ObjectHeader {
  ObjectId object;
  uint64_t size_bytes = 0;
  uint32_t uri_bytes = 0;
  uint32_t version_bytes = 0;
  uint32_t text_crc = 0;
  int8_t priority = 0;
  /// Once others were given the content file: no chunk of it goes while they may still have it open.
  bool was_handed_out = false;

  uint64_t chunks() const;
  uint64_t records_offset() const;
  uint64_t record_offset(uint64_t chunk) const { return records_offset() + chunk * kRecordBytes; }
  uint64_t record_file_bytes() const { return record_offset(chunks()); }
};

std::string encode_object_header(const ObjectHeader& header);
/// Nothing if these are no header's bytes, or a size in it is none.
std::optional<ObjectHeader> parse_object_header(Bytes bytes);

struct ChunkRecord {
  uint32_t crc = 0;
  uint32_t expires_s = 0;

  bool operator==(const ChunkRecord&) const = default;
};

std::string encode_record(const ObjectId& object, uint64_t chunk, const ChunkRecord& record);
/// Nothing if the record says that the chunk is not there, or is damaged.
std::optional<ChunkRecord> parse_record(Bytes bytes, const ObjectId& object, uint64_t chunk);

}  // namespace forebay::cache
