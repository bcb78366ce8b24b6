// Whether folders of files were changed after they were listed for an index: that costs a look at each
// folder, not at each file. Folders stand in the index as objects whose names end with "/".
#pragma once

#include <optional>
#include <string_view>

#include "forebay/storage/object_store.h"

namespace forebay::dataset {

/// The name of a folder itself, relative to itself.
inline constexpr std::string_view kThisFolder = "./";

inline bool is_folder(std::string_view name) {
  return name.ends_with('/');
}

/// What `folder` (its key ends with "/") is before it is listed. Nothing where the store has no folders, and
/// for the one that `index` lies in, which changes when that is written.
std::optional<storage::ObjectStat> folder_before_listing(const storage::ObjectAddress& folder,
                                                         const storage::ObjectAddress& index);

/// Whether a change after the folder was listed has surely changed its version. Not so if it was listed
/// within the tick of a clock in which it had changed: `written_ns` is when the index was written, 0 if
/// unknown.
bool was_settled(const storage::ObjectStat& folder, int64_t written_ns);

}  // namespace forebay::dataset
