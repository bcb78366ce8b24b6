#include "forebay/cache/disk/object_format.h"

#include "forebay/base/crc32c.h"
#include "forebay/base/random/random.h"
#include "forebay/base/round_up.h"
#include "forebay/cache/disk/segment_format.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/options/cache_options.h"

namespace forebay::cache {
namespace {

constexpr uint64_t kObjectMagic = 0x3343454a424f4246;  // "FBOBJEC3"

/// Never 0, which is the record of a chunk that is not there.
uint64_t record_check(const ObjectId& object, uint64_t chunk, const ChunkRecord& record) {
  const uint64_t content = uint64_t{record.expires_s} << 32 | record.crc;
  return mix64(mix64(object.high, object.low ^ chunk), content) | 1;
}

}  // namespace

uint64_t ObjectHeader::chunks() const {
  return (size_bytes + kChunkBytes - 1) / kChunkBytes;
}

uint64_t ObjectHeader::records_offset() const {
  return round_up(kObjectHeaderBytes + uri_bytes + version_bytes, kRecordBytes);
}

std::string encode_object_header(const ObjectHeader& header) {
  std::string bytes;
  append_word(&bytes, kObjectMagic);
  append_word(&bytes, header.object.high);
  append_word(&bytes, header.object.low);
  append_word(&bytes, header.size_bytes);
  append_word(&bytes, header.uri_bytes);
  append_word(&bytes, header.version_bytes);
  append_word(&bytes, header.text_crc);
  append_word(&bytes, header.priority);
  append_word(&bytes, static_cast<uint8_t>(header.was_handed_out));
  bytes.resize(kObjectHeaderBytes - sizeof(uint32_t), '\0');
  append_word(&bytes, crc32c(bytes_of(bytes)));
  return bytes;
}

std::optional<ObjectHeader> parse_object_header(Bytes bytes) {
  if (bytes.size() != kObjectHeaderBytes) {
    return std::nullopt;
  }
  const Bytes body = bytes.first(kObjectHeaderBytes - sizeof(uint32_t));
  WordReader words(bytes);
  if (words.take<uint64_t>() != kObjectMagic ||
      WordReader(bytes.subspan(body.size())).take<uint32_t>() != crc32c(body)) {
    return std::nullopt;
  }
  ObjectHeader header;
  header.object.high = words.take<uint64_t>();
  header.object.low = words.take<uint64_t>();
  header.size_bytes = words.take<uint64_t>();
  header.uri_bytes = words.take<uint32_t>();
  header.version_bytes = words.take<uint32_t>();
  header.text_crc = words.take<uint32_t>();
  header.priority = words.take<int8_t>();
  header.was_handed_out = words.take<uint8_t>() != 0;
  if (header.size_bytes > kMaxObjectBytes || header.uri_bytes > kMaxUriBytes ||
      header.version_bytes > kMaxVersionBytes) {
    return std::nullopt;
  }
  return header;
}

std::string encode_record(const ObjectId& object, uint64_t chunk, const ChunkRecord& record) {
  std::string bytes;
  append_word(&bytes, record.crc);
  append_word(&bytes, record.expires_s);
  append_word(&bytes, record_check(object, chunk, record));
  return bytes;
}

std::optional<ChunkRecord> parse_record(Bytes bytes, const ObjectId& object, uint64_t chunk) {
  if (bytes.size() != kRecordBytes) {
    return std::nullopt;
  }
  WordReader words(bytes);
  ChunkRecord record;
  record.crc = words.take<uint32_t>();
  record.expires_s = words.take<uint32_t>();
  if (words.take<uint64_t>() != record_check(object, chunk, record)) {
    return std::nullopt;
  }
  return record;
}

}  // namespace forebay::cache
