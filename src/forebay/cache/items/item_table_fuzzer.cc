// Any bytes as a table of a data set's items: it is refused, or nothing in it leads outside. The checksum is
// made right first, so that the numbers are looked at.
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "forebay/base/check.h"
#include "forebay/base/crc32c.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/items/item_table.h"

namespace forebay::cache {
namespace {

constexpr size_t kCrcAt = 44;

void check(std::string image) {
  if (image.size() >= kCrcAt + 4) {
    const Bytes bytes = bytes_of(image);
    const uint32_t crc = crc32c(bytes.subspan(kCrcAt + 4), crc32c(bytes.first(kCrcAt)));
    std::memcpy(image.data() + kCrcAt, &crc, sizeof(crc));
  }
  const Result<std::shared_ptr<const ItemTable>> opened = ItemTable::open(bytes_of(image), nullptr);
  if (!opened.ok()) {
    return;
  }
  const ItemTable& table = **opened;
  for (uint64_t number = 0; number < table.num_objects(); ++number) {
    const ItemTable::Object object = table.object(number);
    FOREBAY_CHECK((std::string(object.name) + std::string(object.version)).size() <= image.size());
    const storage::ItemRun run = table.items_in(number, 0, std::numeric_limits<uint64_t>::max());
    FOREBAY_CHECK(run.first + run.count <= table.num_items());
  }
  uint64_t in_shards = 0;
  for (const uint64_t samples : table.stored_shards()) {
    in_shards += samples;
  }
  FOREBAY_CHECK(in_shards == 0 || in_shards == table.num_items());
  for (uint64_t item = 0; item < table.num_items(); ++item) {
    FOREBAY_CHECK(table.item_of(table.sample_of(item)) == item);
    const std::optional<ItemTable::Item> at = table.item(item);
    FOREBAY_CHECK(!at || at->object < table.num_objects());
  }
}

}  // namespace
}  // namespace forebay::cache

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  forebay::cache::check(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
