// Any bytes as a tar archive, and as an index file of one.

#include <cstdint>

#include "forebay/base/check.h"
#include "forebay/dataset/tar.h"
#include "forebay/dataset/wds_index.h"

using namespace forebay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes bytes(reinterpret_cast<const std::byte*>(data), size);
  const MemoryByteSource source(bytes);
  const Result<std::vector<dataset::WdsSample>> samples = dataset::scan_wds_archive(source, "fuzz.tar");
  if (samples.ok()) {
    for (const dataset::WdsSample& sample : *samples) {
      for (const dataset::WdsComponent& component : sample.components) {
        FOREBAY_CHECK(component.offset_bytes <= size);
      }
    }
  }
  dataset::parse_wds_index({reinterpret_cast<const char*>(data), size}, "fuzz.idx").IgnoreError();
  return 0;
}
