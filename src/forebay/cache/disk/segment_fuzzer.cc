// Reads arbitrary bytes as a segment; and, so that footers and blocks are reached, the same bytes as a footer
// with correct checksums, and behind blocks with correct ones.
#include <algorithm>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/base/crc32c.h"
#include "forebay/cache/disk/segment.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/testing/bytes_file.h"

using namespace forebay;
using namespace forebay::cache;

namespace {

constexpr uint64_t kSalt = 0x5a17;

void walk(Bytes bytes) {
  const BytesFile file(bytes);
  const Result<SegmentContents> contents = read_segment(file);
  if (!contents.ok()) {
    return;
  }
  uint64_t end = kBlockBytes;
  for (const EntryRecord& entry : contents->entries) {
    FOREBAY_CHECK(entry.place * kPlaceBytes >= end);
    end = entry.place * kPlaceBytes + layout_of(entry.length_bytes, 0).total_bytes;
    FOREBAY_CHECK(end <= bytes.size());
  }
}

std::string with_footer(std::string footer) {
  footer.resize(footer.size() / kFooterEntryBytes * kFooterEntryBytes);
  std::string bytes = encode_segment_header(kSalt);
  bytes.resize(1 << 16);
  const FooterPlace place = {bytes.size(), footer.size(), crc32c(bytes_of(footer))};
  return bytes + footer + encode_trailer(place, kSalt);
}

std::string with_blocks(const std::string& text) {
  std::string bytes = encode_segment_header(kSalt);
  for (size_t at = 0; at + 12 <= text.size(); at += 12) {
    WordReader words(bytes_of(text).subspan(at, 12));
    EntryBlock block;
    block.entry.key.start_bytes = words.take<uint32_t>();
    block.entry.length_bytes = words.take<uint32_t>() % (1 << (text[at] & 31));
    block.uri_bytes = words.take<uint32_t>() % (2 * kMaxUriBytes);
    bytes += encode_block(block, kSalt);
    bytes.resize(bytes.size() + static_cast<unsigned char>(text[at + 11]) * kPlaceBytes);
  }
  return bytes + std::string(kPlaceBytes, '\0');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), std::min<size_t>(size, 1 << 16));
  walk(bytes_of(text));
  walk(bytes_of(with_footer(text)));
  walk(bytes_of(with_blocks(text)));
  return 0;
}
