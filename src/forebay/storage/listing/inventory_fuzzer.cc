#include <memory>
#include <span>

#include "forebay/base/check.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/listing/inventory.h"
#include "forebay/storage/listing/text_lines.h"
#include "forebay/storage/memory/memory_store.h"

// Lines of any bytes, packed or not, rows and manifests: an answer or an error, within the limits.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace forebay::storage;
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto manifest = parse_inventory_manifest({reinterpret_cast<const char*>(data), size});
  const InventoryColumns columns = manifest.ok() ? manifest->columns : InventoryColumns();
  const auto store = std::make_shared<MemoryStore>();
  FOREBAY_CHECK(write_now(*store, "text", bytes).ok());
  const auto take = [&](std::string_view line, uint64_t) {
    FOREBAY_CHECK(!line.empty() && line.size() <= kMaxLineBytes && line.find('\n') == std::string_view::npos);
    (void)parse_inventory_row(line, columns);
    return forebay::ok_status();
  };
  (void)each_line({store, "text"}, take);
  return 0;
}
