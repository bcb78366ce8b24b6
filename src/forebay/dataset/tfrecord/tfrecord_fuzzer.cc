// Parses arbitrary bytes as a TFRecord file and as an index file; then the same bytes with the checksums of
// all lengths corrected, so that the code behind the first one is reached.

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/dataset/tfrecord/masked_crc32c.h"
#include "forebay/dataset/tfrecord/tfrecord_index.h"

using namespace forebay;

namespace {

void scan(Bytes bytes) {
  const MemoryByteSource source(bytes);
  const Result<dataset::TfrecordScan> found = dataset::scan_tfrecord(source, "fuzz.tfrecord");
  if (!found.ok()) {
    return;
  }
  for (const dataset::TfrecordRange& record : found->records) {
    FOREBAY_CHECK(record.offset_bytes <= bytes.size());
  }
}

/// Truncates lengths to 16 bits, so that files have several records.
void put_right(std::vector<std::byte>* file) {
  size_t position = 0;
  while (file->size() - position >= dataset::kTfrecordHeaderBytes) {
    std::memset(file->data() + position + 2, 0, 6);
    uint64_t length = 0;
    std::memcpy(&length, file->data() + position, sizeof(length));
    const uint32_t sum = dataset::masked_crc32c(Bytes(*file).subspan(position, sizeof(length)));
    std::memcpy(file->data() + position + sizeof(length), &sum, sizeof(sum));
    const size_t record = dataset::kTfrecordHeaderBytes + length + dataset::kTfrecordFooterBytes;
    if (record > file->size() - position) {
      return;
    }
    position += record;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  scan(bytes);
  dataset::parse_tfrecord_index({reinterpret_cast<const char*>(data), size}, "fuzz.idx").IgnoreError();
  std::vector<std::byte> summed(bytes.begin(), bytes.end());
  put_right(&summed);
  scan(summed);
  return 0;
}
