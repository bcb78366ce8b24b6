// The mounts of a namespace at one moment. Mounts may lie within others: the longest path wins, by whole
// components, so "/data" says nothing about "/database".
//
// Keys of the namespace are paths without the slash in front: "data/train/0.tar".
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/storage/namespace/mount_entry.h"

namespace forebay::storage {

/// Immutable once it is shared.
class MountTable {
 public:
  /// The mounts by path.
  const std::map<std::string, MountEntry, std::less<>>& entries() const { return entries_; }
  bool is_empty() const { return entries_.empty(); }

  /// The mount that `key` lies in; null if it lies in none. A mount's own path lies in it.
  const MountEntry* covering(std::string_view key) const;

  /// The mounts whose paths lie below `folder`, a key that ends with "/" or is empty. Those within others
  /// count, too. `folder` may end within a name: "data/tr" has "/data/train" below it.
  std::vector<const MountEntry*> below(std::string_view folder) const;

  /// already_exists if something is mounted there; resource_exhausted if the table is full.
  Status add(MountEntry entry);
  /// not_found if nothing is mounted there.
  Status remove(std::string_view path);

 private:
  std::map<std::string, MountEntry, std::less<>> entries_;
};

using MountTableRef = std::shared_ptr<const MountTable>;

}  // namespace forebay::storage
