// Walks arbitrary bytes as an LMDB database; then with the pages of the first meta page and their numbers put
// right, so that the tree behind is reached.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/dataset/lmdb/lmdb_index.h"

using namespace forebay;

namespace {

void scan(Bytes bytes) {
  const MemoryByteSource file(bytes);
  const Result<dataset::LmdbScan> found = dataset::scan_lmdb(file, "fuzz.mdb");
  if (found.ok()) {
    FOREBAY_CHECK(found->damaged_at.has_value() == !found->damage.ok());
  }
}

template <class T>
void put(std::vector<std::byte>& file, size_t offset, T value) {
  std::memcpy(file.data() + offset, &value, sizeof(value));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kPage = 256;
  scan(std::as_bytes(std::span(data, size)));
  std::vector<std::byte> file(2 * kPage);
  put(file, 10, uint16_t{8});
  put(file, 16, uint32_t{0xbeefc0de});
  put(file, 20, uint32_t{1});
  put(file, 40, uint32_t{kPage});
  put(file, 128, uint64_t{2});
  const Bytes tree = std::as_bytes(std::span(data, size));
  file.insert(file.end(), tree.begin(), tree.end());
  file.resize((file.size() + kPage - 1) / kPage * kPage);
  for (size_t page = 2; page < file.size() / kPage; ++page) {
    put(file, page * kPage, uint64_t{page});
  }
  scan(file);
  return 0;
}
