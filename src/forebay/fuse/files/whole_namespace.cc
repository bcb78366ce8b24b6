#include "forebay/fuse/files/whole_namespace.h"

#include <string>
#include <utility>

#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/namespace/mount_guard.h"
#include "forebay/storage/namespace/namespace_store.h"
#include "forebay/storage/namespace/open_mounts.h"

namespace forebay::fuse {

FileSystemOptions folder_of(std::shared_ptr<storage::ObjectStore> store, std::string folder) {
  FileSystemOptions options;
  if (const auto names = std::dynamic_pointer_cast<storage::NamespaceStore>(store)) {
    options.find_address = [names](const std::string& key) { return names->resolve_key(key); };
    options.is_mount_point = [names](const std::string& key) {
      return names->check_no_mount_at_key(key, "shown").code() == StatusCode::kFailedPrecondition;
    };
  }
  options.store = std::move(store);
  options.folder = std::move(folder);
  return options;
}

FileSystemOptions whole_namespace(storage::StoreRegistry& registry, storage::MountDatabaseOptions mounts) {
  auto database = std::make_unique<storage::MountDatabase>(std::move(mounts));
  // What lies in no mount is nowhere, and nothing can be put there.
  auto nothing = std::make_shared<storage::MountGuard>(std::make_shared<storage::MemoryStore>(),
                                                       storage::MountEntry{.path = "/", .read_only = true});
  auto open = std::make_shared<storage::OpenMounts>(std::move(database), registry, std::move(nothing));
  return folder_of(std::make_shared<storage::NamespaceStore>(std::move(open)), {});
}

}  // namespace forebay::fuse
