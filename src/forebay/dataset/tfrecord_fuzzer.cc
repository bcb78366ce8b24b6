// Any bytes as a TFRecord file, and as an index file of one.

#include <cstdint>

#include "forebay/base/check.h"
#include "forebay/dataset/tfrecord_index.h"

using namespace forebay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes bytes(reinterpret_cast<const std::byte*>(data), size);
  const MemoryByteSource source(bytes);
  const Result<std::vector<dataset::TfrecordRange>> records = dataset::scan_tfrecord(source, "fuzz.tfrecord");
  if (records.ok()) {
    for (const dataset::TfrecordRange& record : *records) {
      FOREBAY_CHECK(record.offset_bytes <= size);
    }
  }
  dataset::parse_tfrecord_index({reinterpret_cast<const char*>(data), size}, "fuzz.idx").IgnoreError();
  return 0;
}
