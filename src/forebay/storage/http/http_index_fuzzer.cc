// Reads arbitrary bytes as the index of a folder.
#include <cstdint>
#include <string_view>

#include "forebay/base/check.h"
#include "forebay/storage/http/http_index.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto entries = forebay::storage::parse_http_index({reinterpret_cast<const char*>(data), size});
  if (entries.ok()) {
    for (const forebay::storage::HttpIndexEntry& entry : *entries) {
      FOREBAY_CHECK(!entry.name.empty() && entry.name != "/" && entry.name != "../");
      FOREBAY_CHECK(entry.name.find('/') >= entry.name.size() - 1);
    }
  }
  return 0;
}
