// Parses arbitrary bytes as a tar archive and as an index file; then the same bytes with every block's
// checksum corrected, so that the code behind the checksum is reached.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/dataset/webdataset/tar.h"
#include "forebay/dataset/webdataset/wds_index.h"

using namespace forebay;

namespace {

void scan(Bytes bytes) {
  const MemoryByteSource source(bytes);
  const Result<dataset::WdsArchive> archive = dataset::scan_wds_archive(source, "fuzz.tar");
  if (!archive.ok()) {
    return;
  }
  FOREBAY_CHECK(archive->lost_at.value_or(0) <= bytes.size());
  for (const dataset::WdsSample& sample : archive->samples) {
    for (const dataset::WdsComponent& component : sample.components) {
      FOREBAY_CHECK(component.offset_bytes <= bytes.size());
    }
  }
}

void put_right(uint8_t* block) {
  std::memset(block + 148, ' ', 8);
  unsigned sum = 0;
  for (uint64_t i = 0; i < dataset::kTarBlockBytes; ++i) {
    sum += block[i];
  }
  std::snprintf(reinterpret_cast<char*>(block) + 148, 8, "%06o", sum);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  scan(std::as_bytes(std::span(data, size)));
  dataset::parse_wds_index({reinterpret_cast<const char*>(data), size}, "fuzz.idx").IgnoreError();
  std::vector<uint8_t> summed(data, data + size);
  for (size_t block = 0; block + dataset::kTarBlockBytes <= size; block += dataset::kTarBlockBytes) {
    put_right(summed.data() + block);
  }
  scan(std::as_bytes(std::span(summed)));
  return 0;
}
