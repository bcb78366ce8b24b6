#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/storage/listing/name_snapshot.h"

// A block that is read is in order and within its limits, and what is in it is found. The first bytes of the
// input are taken as they are, since no mutation would guess a checksum.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace forebay::storage;
  const auto bytes = std::as_bytes(std::span(data, size));
  NameBlockReader reader(bytes);
  NamedEntry entry;
  std::vector<std::string> keys;
  while (reader.next(entry)) {
    FOREBAY_CHECK(entry.key.size() <= kMaxNameBytes && entry.version.size() <= 2 * kMaxNameBytes);
    keys.emplace_back(entry.key);
  }
  for (const std::string& key : keys) {
    NameBlockReader(bytes).find(key, entry);
  }
  const auto snapshot = NameSnapshot::from_image(bytes, nullptr, "fuzz");
  if (snapshot.ok()) {
    SnapshotCursor cursor(*snapshot);
    for (auto status = cursor.seek(keys.empty() ? "" : keys.front());
         status.ok() && cursor.entry() != nullptr;) {
      status = cursor.next();
    }
  }
  return 0;
}
