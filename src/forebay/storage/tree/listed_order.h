// A page of a listing in the order of its keys.
#pragma once

#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Calls `take_folder(prefix)` and `take_object(stat)` for what a page has, in one order by key. Of an object
/// and a prefix with the same key the object comes first.
template <class TakeFolder, class TakeObject>
void for_each_in_order(const ListPage& page, TakeFolder&& take_folder, TakeObject&& take_object) {
  size_t object = 0;
  size_t folder = 0;
  while (object < page.objects.size() || folder < page.prefixes.size()) {
    const bool is_folder =
        folder < page.prefixes.size() &&
        (object == page.objects.size() || page.prefixes[folder] < page.objects[object].key);
    if (is_folder) {
      take_folder(page.prefixes[folder++]);
    } else {
      take_object(page.objects[object++]);
    }
  }
}

}  // namespace forebay::storage
