// Entries one behind the other, sorted by name.
#pragma once

#include <memory>
#include <vector>

#include "forebay/storage/listing/name_snapshot.h"

namespace forebay::storage {

/// Not thread safe.
class EntryStream {
 public:
  virtual ~EntryStream() = default;
  /// Null at the end. Valid until the next call.
  virtual const NamedEntry* entry() const = 0;
  virtual Status next() = 0;
};

/// Several snapshots as one. Of two entries with the same key, that of the later snapshot counts. Entries
/// that say that an object has gone are passed over if `drops_removed`. Begins behind all names less than
/// `from`.
Result<std::unique_ptr<EntryStream>> merge_snapshots(
    std::vector<std::shared_ptr<const NameSnapshot>> snapshots, bool drops_removed,
    std::string_view from = {});

}  // namespace forebay::storage
