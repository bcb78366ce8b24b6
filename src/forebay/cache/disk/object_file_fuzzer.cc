// Reads arbitrary bytes as the record file of a large object, beside content as large as it says; and, so
// that the records are reached, the same bytes behind a correct header.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/cache/disk/object_file.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/testing/bytes_file.h"

using namespace forebay;
using namespace forebay::cache;

namespace {

constexpr uint64_t kMaxContentBytes = 8 << 20;

void walk(Bytes bytes) {
  const BytesFile records(bytes);
  const std::optional<ObjectHeader> header =
      parse_object_header(bytes.first(std::min<size_t>(bytes.size(), kObjectHeaderBytes)));
  const uint64_t content_bytes = header ? std::min(header->size_bytes, kMaxContentBytes) : 0;
  const std::vector<std::byte> zeros(content_bytes);
  BytesFile content(zeros);
  const Result<ObjectContents> contents = read_object_files(records, content, /*may_punch=*/true);
  if (!contents.ok()) {
    return;
  }
  uint64_t next = 0;
  for (const ObjectContents::Chunk& chunk : contents->chunks) {
    FOREBAY_CHECK(chunk.number >= next && chunk.number < contents->header.chunks());
    next = chunk.number + 1;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string whole(reinterpret_cast<const char*>(data), std::min<size_t>(size, 1 << 16));
  walk(bytes_of(whole));
  const std::string text = whole.substr(0, 4096);
  if (text.size() < 4) {
    return 0;
  }
  ObjectHeader header = {.object = {1, 2}};
  header.size_bytes = WordReader(bytes_of(text)).take<uint32_t>() % kMaxContentBytes;
  header.uri_bytes = static_cast<unsigned char>(text[2]);
  std::string bytes = encode_object_header(header);
  bytes.resize(header.record_file_bytes());
  // Every second record is a correct one for the chunk that the input names.
  for (uint64_t chunk = 0; chunk < header.chunks(); ++chunk) {
    const unsigned char choice = static_cast<unsigned char>(text[chunk % text.size()]);
    if (choice % 2 == 0) {
      bytes.replace(header.record_offset(chunk), kRecordBytes,
                    encode_record(header.object, choice / 2, {choice, choice}));
    }
  }
  walk(bytes_of(bytes));
  return 0;
}
