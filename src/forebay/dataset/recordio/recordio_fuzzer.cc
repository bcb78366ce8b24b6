// Parses arbitrary bytes as a RecordIO file, as one record, and as an index file.

#include <cstdint>
#include <span>

#include "forebay/base/check.h"
#include "forebay/dataset/recordio/image_record.h"
#include "forebay/dataset/recordio/recordio_index.h"

using namespace forebay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  const MemoryByteSource file(bytes);
  const Result<dataset::RecordIoScan> found = dataset::scan_recordio(file, "fuzz.rec");
  FOREBAY_CHECK(found.ok());
  uint64_t end = 0;
  for (const dataset::RecordIoRange& record : found->records) {
    FOREBAY_CHECK(record.offset_bytes >= end && record.offset_bytes <= size);
    end = record.offset_bytes + record.size_bytes;
  }
  if (const Result<dataset::RecordIoData> record = dataset::recordio_data(bytes); record.ok()) {
    if (const auto image = dataset::parse_image_record(record->bytes); image.ok()) {
      FOREBAY_CHECK(image->image_offset + image->image_bytes == record->bytes.size());
    }
  }
  dataset::parse_recordio_index({reinterpret_cast<const char*>(data), size}, "fuzz.idx").IgnoreError();
  return 0;
}
