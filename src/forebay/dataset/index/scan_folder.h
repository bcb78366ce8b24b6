// Where the tables of shards lie while the index of a data set is being made: in a folder beside the index.
// Whoever is interrupted goes on from there, on another host, too; it goes when the index is written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "forebay/storage/object_store.h"

namespace forebay::dataset {

class ScanFolder {
 public:
  /// `index`: where the index is going to be. Nothing: it is made in memory, so there is no folder.
  explicit ScanFolder(const std::optional<storage::ObjectAddress>& index);

  /// The address for the table of one version of a shard.
  std::optional<storage::ObjectAddress> place_of(std::string_view uri, std::string_view version,
                                                 std::string_view kind) const;

  /// Removes the tables that are there, and files that were not written to the end; what others have put
  /// there stays. What cannot be removed is named in the log, and does no harm.
  void remove() const;

 private:
  std::optional<storage::ObjectAddress> folder_;  // its key ends with "/"
};

}  // namespace forebay::dataset
