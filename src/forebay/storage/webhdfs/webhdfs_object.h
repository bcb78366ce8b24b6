// Whole files and folders: what they are, what lies in them, removing and renaming them.
#pragma once

#include <memory>
#include <string>

#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/folder_list.h"
#include "forebay/storage/webhdfs/webhdfs_connection.h"

namespace forebay::storage {

/// GETFILESTATUS. A key that ends with "/", or is empty, names a folder, every other one a file; not_found
/// for what is of the other kind. With `if_version`, `aborted` for any other version.
void stat_webhdfs(const std::shared_ptr<WebhdfsConnection>& connection, std::string key,
                  const std::string& if_version, const CallContext& context, StatCallback done);

/// LISTSTATUS_BATCH; LISTSTATUS from a server that does not know that. The temporary files of
/// writers are left out.
void list_webhdfs_folder(const std::shared_ptr<WebhdfsConnection>& connection, const std::string& folder,
                         const CallContext& context, absl::AnyInvocable<void(Result<FolderEntries>)> done);

/// MKDIRS.
void make_webhdfs_folder(const std::shared_ptr<WebhdfsConnection>& connection, std::string key,
                         const CallContext& context, StatusCallback done);

/// DELETE of a file or an empty folder.
void remove_webhdfs(const std::shared_ptr<WebhdfsConnection>& connection, std::string key,
                    const CallContext& context, StatusCallback done);

/// RENAME with options, which is atomic: `if_absent` is the namenode's. `if_version` is looked at before.
void rename_webhdfs(const std::shared_ptr<WebhdfsConnection>& connection, MoveRequest request,
                    const CallContext& context, StatCallback done);

/// Renames the file that will be `renamed`, whose inode, size and time it keeps. An attempt whose answer was
/// lost is looked for.
void rename_webhdfs_file(const std::shared_ptr<WebhdfsConnection>& connection, const std::string& from,
                         bool if_absent, const ObjectStat& renamed, const CallContext& context,
                         StatCallback done);

}  // namespace forebay::storage
