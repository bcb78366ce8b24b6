// Moves between stores, and within stores that cannot rename: a copy, then the removal of what was copied.
#pragma once

#include <cstdint>

#include "forebay/cli/objects/place.h"

namespace forebay::cli {

struct Moved {
  uint64_t objects = 0;
  uint64_t bytes = 0;
};

/// Moves an object or a folder to where there is nothing, or an empty folder. All of it is copied, and
/// durable, before anything is removed, so each object has at least one of its names at any time. Each is
/// looked at once more right before it is removed: what was changed or added meanwhile stays where it was,
/// and is an error at the end. failed_precondition where something is in the way, or where the source holds
/// links to folders, whose content lies elsewhere; permission_denied where the source may not be removed.
/// Needs the memory of all names. Blocks, with a progress bar.
Result<Moved> move_by_copy(const Place& from, const storage::ObjectAddress& to,
                           const storage::CallContext& context);

}  // namespace forebay::cli
