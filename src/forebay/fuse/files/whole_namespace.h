// Trees of several stores: a folder that mounts lie below, and all that `forebay mount` has mounted.
#pragma once

#include <memory>
#include <string>

#include "forebay/fuse/files/file_system.h"
#include "forebay/storage/namespace/mount_database.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::fuse {

/// A folder of a store, "" or a key that ends with "/". Below a folder of the namespace each mount is read as
/// the store that it is.
FileSystemOptions folder_of(std::shared_ptr<storage::ObjectStore> store, std::string folder);

/// All mounts, as a tree whose folders lead to them. Without the local files beside the mounts: they have
/// names already, and a mount within them would show itself. Mounts that are added and removed later are
/// seen. `registry` must outlive it.
FileSystemOptions whole_namespace(storage::StoreRegistry& registry, storage::MountDatabaseOptions mounts);

}  // namespace forebay::fuse
