#include <string_view>

#include "forebay/base/check.h"
#include "forebay/cache/preload/preload_record.h"

// What is read is written so that it reads the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using forebay::cache::parse_record;
  const auto record = parse_record({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (record.ok()) {
    const auto again = parse_record(forebay::cache::format_record(*record), "fuzz");
    FOREBAY_CHECK(again.ok() && *again == *record);
  }
  return 0;
}
