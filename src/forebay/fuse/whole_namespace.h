// All that `forebay mount` has mounted, as one tree: its folders lead to the mounts, and nothing else is in
// it.
#pragma once

#include <memory>

#include "forebay/fuse/file_system.h"
#include "forebay/storage/namespace/mount_database.h"
#include "forebay/storage/store_registry.h"

namespace forebay::fuse {

/// Without the local files beside the mounts: they have names already, and a mount within them would show
/// itself. Mounts that are added and removed later are seen. `registry` must outlive it.
FileSystemOptions whole_namespace(storage::StoreRegistry& registry, storage::MountDatabaseOptions mounts);

}  // namespace forebay::fuse
