#include "forebay/cli/caching/written_mounts.h"

#include "forebay/cache/rules/rule_table.h"
#include "forebay/storage/namespace/mount_database.h"
#include "forebay/storage/namespace/open_mounts.h"

namespace forebay::cli {

Result<cache::OpenStore> written_mount(const std::string& path, const std::string& uri) {
  const storage::StoreRegistry& registry = storage::default_registry();
  storage::MountDatabase database(storage::process_mounts());
  FOREBAY_ASSIGN_OR_RETURN(const storage::MountTableRef table, database.table());
  const auto found = table->entries().find(path);
  if (found == table->entries().end()) {
    return not_found("{}: nothing is mounted at {} any more; mount it again to have it stored", uri, path);
  }
  const storage::MountEntry& entry = found->second;
  const storage::MountUse use = storage::use_of(entry, registry);
  FOREBAY_ASSIGN_OR_RETURN(const storage::Uri parsed, storage::parse_uri(entry.uri));
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress root, registry.open(parsed, use.store));
  if (!cache::lies_below(uri, cache::without_end_slashes(root.uri()))) {
    return failed_precondition("{}: it was written to {}, where {} is mounted now", uri, path, entry.uri);
  }
  // As a process of this environment opens it, so that what it writes is stored with the same.
  cache::OpenStore settings = {.use = use.store};
  settings.use.variables = registry.variables_of(parsed.scheme);
  return settings;
}

}  // namespace forebay::cli
