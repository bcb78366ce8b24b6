// Reads arbitrary bytes as the file of a large object; and, so that the records are reached, the same bytes
// behind a correct header.
#include <algorithm>
#include <string>

#include "forebay/base/check.h"
#include "forebay/cache/disk/object_file.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/testing/bytes_file.h"

using namespace forebay;
using namespace forebay::cache;

namespace {

void walk(Bytes bytes) {
  BytesFile file(bytes);
  const Result<ObjectContents> contents = read_object_file(file, /*may_punch=*/true);
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
  header.size_bytes = WordReader(bytes_of(text)).take<uint32_t>() % (8 << 20);
  header.uri_bytes = static_cast<unsigned char>(text[2]);
  std::string bytes = encode_object_header(header);
  bytes.resize(header.file_bytes());
  // Every second record is a correct one for the chunk that the input names.
  for (uint64_t chunk = 0; chunk < header.chunks(); ++chunk) {
    const unsigned char choice = static_cast<unsigned char>(text[chunk % text.size()]);
    if (choice % 2 == 0) {
      bytes.replace(header.records_offset() + chunk * kRecordBytes, kRecordBytes,
                    encode_record(header.object, choice / 2, {choice, choice}));
    }
  }
  walk(bytes_of(bytes));
  return 0;
}
