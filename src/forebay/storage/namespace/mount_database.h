// The mount table on disk: one file of JSON, replaced as a whole.
//
// Readers see a whole table, the old one or the new one (whole_file.h). A reader looks on every call whether
// the file is still the one that it knows, which costs one stat; it holds that file open, so that no new file
// can have its inode. docs/design/namespace.md compares this with LMDB.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/home/whole_file.h"
#include "forebay/storage/local/local_file.h"
#include "forebay/storage/namespace/mount_table.h"

namespace forebay::storage {

/// The moments in a change of the table at which a test stops the process, in order.
inline constexpr std::string_view kMountWritePoints[] = {"locked",  "created",  "written",
                                                         "durable", "in place", "folder durable"};

struct MountDatabaseOptions {
  std::string file;            // empty: there is no table, and none can be made
  bool is_static = false;      // written by people: never changed, and its absence is an error
  bool may_be_hidden = false;  // a table in a folder that may not be read counts as an empty one
  Status why_no_file;          // for changes when `file` is empty
  AtPoint at_point;            // for tests
};

/// What the environment says: the file that FOREBAY_MOUNTS names, else `mounts.json` under forebay_home().
MountDatabaseOptions process_mounts();

/// Thread safe, and safe beside other processes that use the same file.
class MountDatabase {
 public:
  explicit MountDatabase(MountDatabaseOptions options) : options_(std::move(options)) {}

  /// The table as it is now. data_loss or invalid_argument for a broken file: a path must not turn into a
  /// local one because the table cannot be read.
  Result<MountTableRef> table();

  /// Durable when it returns. See MountTable::add() and remove(); failed_precondition for a static table.
  Status add(MountEntry entry);
  Status remove(const std::string& path);

  /// From now on fork() leaves this usable in the child. For one that lives as long as the process.
  void keep_usable_in_child();

 private:
  Status change(const std::function<Status(MountTable&)>& how);
  Status load() FOREBAY_REQUIRES(mutex_);
  Status read_file() FOREBAY_REQUIRES(mutex_);
  bool is_known(const struct stat& status) const FOREBAY_REQUIRES(mutex_);

  const MountDatabaseOptions options_;
  Mutex mutex_;
  MountTableRef table_ FOREBAY_GUARDED_BY(mutex_);
  FileDescriptor known_ FOREBAY_GUARDED_BY(mutex_);  // the file that table_ was read from
  struct stat known_status_ FOREBAY_GUARDED_BY(mutex_) {};
};

}  // namespace forebay::storage
