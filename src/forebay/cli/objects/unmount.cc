// forebay unmount: ends a mount, of Forebay's names or of the file system. What is stored stays as it is.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/cache/journal/journal.h"
#include "forebay/cli/command/command.h"
#include "forebay/fuse/mounts/mount_point.h"
#include "forebay/storage/home/forebay_home.h"
#include "forebay/storage/namespace/mount_database.h"

namespace forebay::cli {
namespace {

/// What is unmounted is not stored any more, so nothing may wait for it.
Status check_nothing_waits(const std::string& path) {
  FOREBAY_ASSIGN_OR_RETURN(const std::string home, storage::forebay_home());
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<cache::JournalWaiting> waiting,
                           cache::list_journal(*cache::host_files(), cache::journal_folder(home)));
  const auto count = std::ranges::count(waiting, path, &cache::JournalWaiting::mount);
  return count == 0
             ? ok_status()
             : failed_precondition(
                   "{}: {} objects that were written to it wait to be stored; `forebay cache flush {}` "
                   "waits until they are, --force leaves them in the journal until it is mounted again",
                   path, count, path);
}

struct UnmountOptions {
  std::vector<std::string> names;
  bool is_forced = false;
  bool is_fuse = false;  // of the file system, whatever else has the name
};

/// Of Forebay's names.
Status unmount_name(storage::MountDatabase& database, const std::string& path, bool is_forced) {
  if (!is_forced) {
    FOREBAY_RETURN_IF_ERROR(check_nothing_waits(path));
  }
  return database.remove(path);
}

/// Whether Forebay's names have a mount there; a table that cannot be read says so when it is changed.
bool has_name(storage::MountDatabase& database, const Result<std::string>& path) {
  const Result<storage::MountTableRef> table = database.table();
  return path.ok() && table.ok() && (*table)->entries().contains(*path);
}

Status unmount_one(storage::MountDatabase& database, const std::string& name, const UnmountOptions& options) {
  const Result<std::string> path = storage::namespace_path(name);
  const Result<std::optional<fuse::MountLine>> found = fuse::own_mount_at(name);
  if (options.is_fuse) {
    FOREBAY_RETURN_IF_ERROR(found.status());
  }
  // Who cannot read the table of the system's mounts may have names, all the same.
  const std::optional<fuse::MountLine> line = found.ok() ? *found : std::nullopt;
  if (options.is_fuse && !line) {
    return not_found("{}: no mount of `forebay fuse` is there", name);
  }
  if (line && !options.is_fuse && has_name(database, path)) {
    return failed_precondition(
        "{}: both a mount of `forebay fuse` and one of `forebay mount`; --fuse ends the first, and then the "
        "same "
        "without it ends the second",
        name);
  }
  if (line) {
    return fuse::unmount(line->path, options.is_forced);
  }
  FOREBAY_RETURN_IF_ERROR(path.status());
  return unmount_name(database, *path, options.is_forced);
}

/// All that can be removed is; what cannot is named.
Status run_unmount(const UnmountOptions& options) {
  storage::MountDatabase database(storage::process_mounts());
  Status first;
  for (const std::string& name : options.names) {
    const Status removed = unmount_one(database, name, options);
    if (!first.ok() && !removed.ok()) {
      fmt::print(stderr, "forebay: {}\n", message(removed));
    }
    first.Update(removed);
  }
  return first;
}

}  // namespace

void add_unmount(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("unmount", "End mounts of `mount` and of `fuse`; what is stored stays as it is");
  auto options = std::make_shared<UnmountOptions>();
  command->add_option("path", options->names, "Where they are mounted")->required();
  command->add_flag("--fuse", options->is_fuse,
                    "The mount of `forebay fuse`, also where `forebay mount` has one of that name");
  command->add_flag(
      "--force", options->is_forced,
      "Also while objects that were written to it wait to be stored; of `fuse`, while programs use it");
  command->callback([&invocation, options] { invocation.run = [options] { return run_unmount(*options); }; });
}

}  // namespace forebay::cli
