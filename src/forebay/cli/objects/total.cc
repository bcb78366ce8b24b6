#include "forebay/cli/objects/total.h"

#include <fmt/core.h>

#include "forebay/cli/size_text.h"
#include "forebay/storage/blocking.h"

namespace forebay::cli {

Status add_to_total(const storage::ObjectAddress& address, const storage::Entry& entry,
                    const storage::CallContext& context, ProgressBar& bar, Total* total) {
  if (!entry.is_folder) {
    ++total->objects;
    total->bytes += entry.stat.size_bytes;
    return ok_status();
  }
  const auto add = [&](const storage::ListPage& page) {
    for (const storage::ObjectStat& object : page.objects) {
      total->bytes += object.size_bytes;
    }
    total->objects += page.objects.size();
    bar.show(0, fmt::format("{} objects, {}", total->objects, size_text(total->bytes)));
    return ok_status();
  };
  return storage::list_pages_now(*address.store, {.prefix = storage::as_folder_key(address.key)}, add,
                                 context);
}

}  // namespace forebay::cli
