// Objects and folders as people see them in any store: what a name stands for.
#pragma once

#include <string>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

struct Entry {
  bool is_folder = false;
  ObjectStat stat;  // of a folder only where the store has directories; else its key alone, ending with "/"
};

/// The object `key`, or the folder of that name: a directory, or a prefix that objects have. A key that is
/// empty or ends with "/" is a folder's. not_found, by URI, if there is neither. Blocks.
Result<Entry> find_entry(ObjectStore& store, const std::string& key, const CallContext& context = {});

/// `key` with a slash at its end; "" stays as it is.
std::string as_folder_key(std::string key);

}  // namespace forebay::storage
