#include "forebay/storage/tree/total.h"

#include "forebay/storage/blocking.h"

namespace forebay::storage {

Result<Total> count_objects(const ObjectAddress& address, const Entry& entry, const CallContext& context,
                            const std::function<void(const Total&)>& on_page) {
  if (!entry.is_folder) {
    return Total{1, entry.stat.size_bytes};
  }
  Total total;
  const auto add = [&](const ListPage& page) {
    for (const ObjectStat& object : page.objects) {
      total.bytes += object.size_bytes;
    }
    total.objects += page.objects.size();
    if (on_page) {
      on_page(total);
    }
    return ok_status();
  };
  FOREBAY_RETURN_IF_ERROR(
      list_pages_now(*address.store, {.prefix = as_folder_key(address.key)}, add, context));
  return total;
}

}  // namespace forebay::storage
