// Whether folders of files were changed after their index was written: that costs a look at each folder, not
// at each file.
#pragma once

#include "forebay/storage/object_store.h"

namespace forebay::dataset {

/// True when `root`, or a folder in it, has changed since `index` was written. Files that were only written
/// to again are not noticed here. Folders that are not on a disk have no time; neither has the one that the
/// index itself lies in, which changed when it was written.
bool folders_are_newer(const storage::ObjectAddress& root, const storage::ObjectAddress& index);

}  // namespace forebay::dataset
