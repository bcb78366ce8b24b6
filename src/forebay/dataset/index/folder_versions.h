// Detects whether folders were changed after they were listed for an index, with one stat for each folder
// instead of one for each file. Folders are stored in the index as objects whose names end with "/".
#pragma once

#include <optional>
#include <string_view>

#include "forebay/storage/object_store.h"

namespace forebay::dataset {

/// The name of a folder relative to itself.
inline constexpr std::string_view kThisFolder = "./";

inline bool is_folder(std::string_view name) {
  return name.ends_with('/');
}

/// The stat of `folder` (its key ends with "/") before it is listed. nullopt if the store has no folders, and
/// for the folder that contains `index`, which changes when the index is written.
Result<std::optional<storage::ObjectStat>> folder_before_listing(const storage::ObjectAddress& folder,
                                                                 const storage::ObjectAddress& index);

/// Whether any change after the folder was listed must have changed its version. That is not so if the folder
/// was listed within the same clock tick in which it last changed. `written_ns`: when the index was written,
/// 0 if unknown.
bool shows_later_changes(const storage::ObjectStat& folder, int64_t written_ns);

}  // namespace forebay::dataset
