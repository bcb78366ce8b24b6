// What a path or URI names, and where that lies.
#pragma once

#include <string>

#include "forebay/storage/object_store.h"
#include "forebay/storage/tree/entry.h"

namespace forebay::storage {

/// A path or URI and what is there.
struct Place {
  std::string name;  // as it was given, without what may be secret: to be printed, not resolved
  ObjectAddress address;
  Entry entry;

  /// The folder's objects: its key with a slash at its end.
  std::string folder_key() const { return as_folder_key(address.key); }
};

/// By the process' registry; folders above mounts are there, too. not_found if there is nothing. Blocks.
Result<Place> find_place(const std::string& name, const CallContext& context = {});

}  // namespace forebay::storage
