// Reads arbitrary bytes as a file of arrays; if they are valid, writing and reading them again must give the
// same. The bytes are used once as the file and once as what follows the valid beginning of a file with one
// array.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/ndarray/files/params_format.h"

using namespace forebay;

namespace {

void walk(Bytes file) {
  const Result<ndarray::ParamsTable> table = ndarray::parse_params(MemoryByteSource(file));
  if (!table.ok()) {
    return;
  }
  std::vector<tensor::TensorView> views;
  for (const ndarray::ParamsEntry& entry : table->entries) {
    FOREBAY_CHECK(entry.offset_bytes + entry.spec.size_bytes() <= file.size());
    views.push_back({file.data() + entry.offset_bytes, {entry.spec.shape, entry.spec.dtype, {}}});
  }
  std::vector<std::byte> written;
  const Status status = ndarray::write_params(views, table->names, [&](Bytes bytes) {
    written.insert(written.end(), bytes.begin(), bytes.end());
    return ok_status();
  });
  FOREBAY_CHECK(status.ok());
  const Result<ndarray::ParamsTable> again = ndarray::parse_params(MemoryByteSource(written));
  FOREBAY_CHECK(again.ok() && again->names == table->names);
  for (size_t i = 0; i < views.size(); ++i) {
    FOREBAY_CHECK(again->entries[i].spec == table->entries[i].spec);
    const Bytes content = Bytes(written).subspan(again->entries[i].offset_bytes, views[i].bytes().size());
    FOREBAY_CHECK(std::ranges::equal(content, views[i].bytes()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes bytes(reinterpret_cast<const std::byte*>(data), size);
  walk(bytes);
  const uint64_t beginning[] = {0x112, 0, 1};
  std::vector<std::byte> file(sizeof(beginning) + size);
  std::memcpy(file.data(), beginning, sizeof(beginning));
  std::ranges::copy(bytes, file.begin() + sizeof(beginning));
  walk(file);
  return 0;
}
