#include "forebay/cache/disk/segment_format.h"

#include <gtest/gtest.h>

#include "forebay/base/crc32c.h"
#include "forebay/base/testing/fuzz_seed.h"
#include "forebay/cache/disk/object_file.h"
#include "forebay/cache/disk/segment.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/options/cache_options.h"
#include "forebay/cache/testing/bytes_file.h"

namespace forebay::cache {
namespace {

constexpr uint64_t kSalt = 77;

EntryBlock some_block() {
  EntryBlock block;
  block.entry = {.key = {{1, 2}, 3 << 20}, .length_bytes = 100, .expires_s = 5, .priority = -3};
  block.entry.is_whole_tail = true;
  block.content_crc = 6;
  block.uri_bytes = 7;
  block.version_bytes = 8;
  block.text_crc = 9;
  return block;
}

TEST(SegmentFormat, BlocksComeBack) {
  const std::string bytes = encode_block(some_block(), kSalt);
  ASSERT_EQ(bytes.size(), kBlockBytes);
  const std::optional<EntryBlock> block = parse_block(bytes_of(bytes), kSalt);
  ASSERT_TRUE(block);
  EXPECT_EQ(block->entry.key, some_block().entry.key);
  EXPECT_EQ(block->entry.length_bytes, 100u);
  EXPECT_EQ(block->entry.expires_s, 5u);
  EXPECT_EQ(block->entry.priority, -3);
  EXPECT_TRUE(block->entry.is_whole_tail);
  EXPECT_EQ(block->content_crc, 6u);
  EXPECT_EQ(block->uri_bytes, 7u);
  EXPECT_EQ(block->version_bytes, 8u);
  EXPECT_EQ(block->text_crc, 9u);
}

TEST(SegmentFormat, ABlockOfAnotherSegmentIsNone) {
  EXPECT_FALSE(parse_block(bytes_of(encode_block(some_block(), kSalt)), kSalt + 1));
}

TEST(SegmentFormat, EveryFlippedBitIsSeen) {
  const FooterPlace place = {4096, kFooterEntryBytes, 1};
  const std::string good[] = {encode_segment_header(kSalt), encode_block(some_block(), kSalt),
                              encode_trailer(place, kSalt)};
  for (int kind = 0; kind < 3; ++kind) {
    for (size_t bit = 0; bit < kBlockBytes * 8; ++bit) {
      std::string bytes = good[kind];
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
      EXPECT_FALSE(kind == 0   ? parse_segment_header(bytes_of(bytes)).has_value()
                   : kind == 1 ? parse_block(bytes_of(bytes), kSalt).has_value()
                               : parse_trailer(bytes_of(bytes), kSalt, 1 << 20).has_value())
          << kind << " " << bit;
    }
  }
}

std::optional<std::vector<EntryRecord>> footer_of(const std::vector<EntryRecord>& entries) {
  const std::string bytes = encode_footer(entries);
  return parse_footer(bytes_of(bytes), {1 << 20, bytes.size(), crc32c(bytes_of(bytes))});
}

TEST(SegmentFormat, FootersNameEntriesThatLieBehindEachOther) {
  const EntryRecord first = {.key = {{1, 2}, 0}, .length_bytes = 100, .place = 1};
  const EntryRecord second = {.key = {{1, 2}, 100}, .length_bytes = 5, .place = 8};
  ASSERT_TRUE(footer_of({first, second}));
  EXPECT_EQ(footer_of({first, second})->at(1).place, 8u);
  EXPECT_FALSE(footer_of({second, first}));
  EntryRecord overlapping = second;
  overlapping.place = 3;
  EXPECT_FALSE(footer_of({first, overlapping}));
  EntryRecord too_long = second;
  too_long.length_bytes = 1 << 20;
  EXPECT_FALSE(footer_of({first, too_long}));
  EntryRecord far_off = second;
  far_off.key.start_bytes = uint64_t{1} << 63;
  EXPECT_FALSE(footer_of({first, far_off}));
}

TEST(SegmentFormat, ATrailerNamesAFooterInTheSegment) {
  const uint64_t size = 1 << 20;
  EXPECT_TRUE(parse_trailer(bytes_of(encode_trailer({size - 400, 400, 0}, kSalt)), kSalt, size));
  EXPECT_FALSE(parse_trailer(bytes_of(encode_trailer({size - 360, 400, 0}, kSalt)), kSalt, size));
  EXPECT_FALSE(parse_trailer(bytes_of(encode_trailer({~uint64_t{0}, 400, 0}, kSalt)), kSalt, size));
  EXPECT_FALSE(parse_trailer(bytes_of(encode_trailer({0, 399, 0}, kSalt)), kSalt, size));
}

TEST(SegmentFormat, WhatLooksLikeABlockInContentIsSkipped) {
  // An entry whose content is another segment, block and all.
  const std::string inner = encode_block(some_block(), kSalt + 1) + std::string(200, 'x');
  EntryBlock outer = some_block();
  outer.entry.length_bytes = static_cast<uint32_t>(inner.size());
  std::string bytes = encode_segment_header(kSalt) + encode_block(outer, kSalt) + inner;
  bytes.resize(1 << 14);
  const Result<SegmentContents> contents = read_segment(BytesFile(bytes_of(bytes)));
  ASSERT_TRUE(contents.ok()) << contents.status();
  ASSERT_EQ(contents->entries.size(), 1u);
  EXPECT_EQ(contents->entries[0].place, 1u);
  // The outer block is lost: the inner one is none of this segment's all the same.
  bytes.replace(kBlockBytes, kBlockBytes, std::string(kBlockBytes, '\0'));
  EXPECT_EQ(read_segment(BytesFile(bytes_of(bytes)))->entries.size(), 0u);
}

TEST(ObjectFormat, ComesBackAndRefusesWhatIsNone) {
  ObjectHeader header = {.object = {1, 2}, .size_bytes = (3 << 20) + 1, .uri_bytes = 10, .version_bytes = 3};
  const std::string bytes = encode_object_header(header);
  ASSERT_EQ(bytes.size(), kObjectHeaderBytes);
  const std::optional<ObjectHeader> parsed = parse_object_header(bytes_of(bytes));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->chunks(), 4u);
  EXPECT_EQ(parsed->records_offset(), 80u);
  EXPECT_EQ(parsed->record_file_bytes(), 80u + 4 * kRecordBytes);
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(parse_object_header(bytes_of(flipped)));
  }
  header.size_bytes = kMaxObjectBytes + 1;
  EXPECT_FALSE(parse_object_header(bytes_of(encode_object_header(header))));
}

TEST(ObjectFormat, ARecordIsOfOneChunkOfOneObject) {
  const ObjectId object = {1, 2};
  const ChunkRecord record = {.crc = 99, .expires_s = 7};
  const std::string bytes = encode_record(object, 5, record);
  EXPECT_EQ(parse_record(bytes_of(bytes), object, 5), record);
  EXPECT_FALSE(parse_record(bytes_of(bytes), object, 6));
  EXPECT_FALSE(parse_record(bytes_of(bytes), {1, 3}, 5));
  EXPECT_FALSE(parse_record(bytes_of(std::string(kRecordBytes, '\0')), object, 0));
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(parse_record(bytes_of(flipped), object, 5));
  }
}

TEST(SegmentFormat, SeedsOfTheFuzzerAreItsFiles) {
  const std::string uri = "s3://bucket/key";
  const std::string version = "v1";
  std::string bytes = encode_segment_header(kSalt);
  std::vector<EntryRecord> entries;
  for (const std::string& content : {std::string(100, 'a'), std::string(1, 'b'), std::string(300, 'c')}) {
    EntryBlock block;
    block.entry = {.key = {{1, entries.size()}, 0},
                   .length_bytes = static_cast<uint32_t>(content.size()),
                   .place = static_cast<uint32_t>(bytes.size() / kPlaceBytes)};
    block.content_crc = crc32c(bytes_of(content));
    block.uri_bytes = static_cast<uint32_t>(uri.size());
    block.version_bytes = static_cast<uint32_t>(version.size());
    block.text_crc = crc32c(bytes_of(uri + version));
    const EntryLayout layout = layout_of(content.size(), uri.size() + version.size());
    std::string entry = encode_block(block, kSalt) + content;
    entry.resize(layout.text_offset, '\0');
    entry += uri + version;
    entry.resize(layout.total_bytes, '\0');
    bytes += entry;
    entries.push_back(block.entry);
  }
  ASSERT_EQ(read_segment(BytesFile(bytes_of(bytes)))->entries.size(), 3u);
  expect_seeds("segment_fuzzer", "open", bytes);
  const std::string footer = encode_footer(entries);
  bytes += footer + encode_trailer({bytes.size(), footer.size(), crc32c(bytes_of(footer))}, kSalt);
  const Result<SegmentContents> contents = read_segment(BytesFile(bytes_of(bytes)));
  ASSERT_TRUE(contents.ok() && contents->is_sealed);
  expect_seeds("segment_fuzzer", "sealed", bytes);
}

TEST(ObjectFormat, SeedsOfTheFuzzerAreItsFiles) {
  const std::string uri = "s3://bucket/key";
  const std::string version = "v1";
  const std::string content(3 * kChunkBytes + 100, 'x');
  ObjectHeader header = {.object = {1, 2}, .size_bytes = content.size()};
  header.uri_bytes = static_cast<uint32_t>(uri.size());
  header.version_bytes = static_cast<uint32_t>(version.size());
  header.text_crc = crc32c(bytes_of(version), crc32c(bytes_of(uri)));
  std::string bytes = encode_object_header(header) + uri + version;
  bytes.resize(header.records_offset(), '\0');
  for (const uint64_t chunk : {0, 2, 3}) {
    const std::string part = content.substr(chunk * kChunkBytes, kChunkBytes);
    bytes.resize(header.record_offset(chunk), '\0');
    bytes += encode_record(header.object, chunk, {.crc = crc32c(bytes_of(part)), .expires_s = 9});
  }
  BytesFile file(bytes_of(content));
  const Result<ObjectContents> contents =
      read_object_files(BytesFile(bytes_of(bytes)), file, /*may_punch=*/true);
  ASSERT_TRUE(contents.ok() && contents->chunks.size() == 3u && contents->chunks[1].number == 2u);
  BytesFile longer(bytes_of(content + 'x'));
  EXPECT_FALSE(read_object_files(BytesFile(bytes_of(bytes)), longer, /*may_punch=*/true).ok());
  expect_seeds("object_file_fuzzer", "whole", bytes);
}

}  // namespace
}  // namespace forebay::cache
