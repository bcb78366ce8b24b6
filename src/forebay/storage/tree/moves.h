// Moves of objects and folders: a rename where the store can, else a copy, then the removal of what was
// copied.
#pragma once

#include <cstdint>
#include <functional>

#include "forebay/storage/tree/copies.h"
#include "forebay/storage/tree/place.h"

namespace forebay::storage {

/// What was copied: nothing where the store has renamed.
struct Moved {
  uint64_t objects = 0;
  uint64_t bytes = 0;
};

struct MoveOptions {
  bool if_absent = false;  // a rename replaces nothing: already_exists; copies do not in any case
  /// A copied object takes the place of another one of its own store, as a renamed one does. Never of
  /// another store's: two of its names may lead to one object, which would be gone once the first was
  /// removed.
  bool replaces_within_store = false;
  /// How far copies are; called now and then on the calling thread. May be empty.
  std::function<void(const CopiesProgress& progress)> progress;
};

/// Moves an object or a folder: by a rename where the store can, or else by copies.
///
/// Copies go to where there is nothing, or an empty folder. All of it is copied, and durable, before anything
/// is removed, so each object has at least one of its names at any time. Each is looked at once more right
/// before it is removed: what was changed or added meanwhile stays where it was, and is an error at the end.
/// already_exists or failed_precondition where something is in the way, failed_precondition where the source
/// holds links to folders, whose content lies elsewhere; permission_denied where the source may not be
/// removed. Needs the memory of all names. Blocks. Ask StoreRegistry::check_no_mount() of the source first.
Result<Moved> move_entry(const Place& from, const ObjectAddress& to, const MoveOptions& options = {},
                         const CallContext& context = {});

}  // namespace forebay::storage
