#include <string_view>

#include "forebay/base/check.h"
#include "forebay/storage/namespace/mount_file.h"

// What is read is written so that it reads the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using forebay::storage::parse_mounts;
  const auto table = parse_mounts({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (table.ok()) {
    const auto again = parse_mounts(forebay::storage::format_mounts(*table), "fuzz");
    FOREBAY_CHECK(again.ok() && again->entries() == table->entries());
  }
  return 0;
}
