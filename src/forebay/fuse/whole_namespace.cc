#include "forebay/fuse/whole_namespace.h"

#include <string>
#include <utility>

#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/namespace/namespace_store.h"
#include "forebay/storage/namespace/open_mounts.h"

namespace forebay::fuse {

FileSystemOptions whole_namespace(storage::StoreRegistry& registry, storage::MountDatabaseOptions mounts) {
  auto database = std::make_unique<storage::MountDatabase>(std::move(mounts));
  auto nothing = std::make_shared<storage::MemoryStore>();
  auto open = std::make_shared<storage::OpenMounts>(std::move(database), registry, std::move(nothing));
  const auto names = std::make_shared<storage::NamespaceStore>(std::move(open));
  FileSystemOptions options;
  options.store = names;
  options.find_address = [names](const std::string& key) { return names->resolve_key(key); };
  options.is_mount_point = [names](const std::string& key) {
    return names->check_no_mount_at_key(key, "shown").code() == StatusCode::kFailedPrecondition;
  };
  return options;
}

}  // namespace forebay::fuse
