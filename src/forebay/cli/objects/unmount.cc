// forebay unmount: takes a mount out of the table. What is stored stays as it is.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "forebay/cache/journal/journal.h"
#include "forebay/cli/command.h"
#include "forebay/storage/namespace/forebay_home.h"
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

Status unmount_one(storage::MountDatabase& database, const std::string& name, bool is_forced) {
  FOREBAY_ASSIGN_OR_RETURN(const std::string path, storage::namespace_path(name));
  if (!is_forced) {
    FOREBAY_RETURN_IF_ERROR(check_nothing_waits(path));
  }
  return database.remove(path);
}

/// All that can be removed is; what cannot is named.
Status run_unmount(const std::vector<std::string>& names, bool is_forced) {
  storage::MountDatabase database(storage::process_mounts());
  Status first;
  for (const std::string& name : names) {
    const Status removed = unmount_one(database, name, is_forced);
    if (!first.ok() && !removed.ok()) {
      fmt::print(stderr, "forebay: {}\n", message(removed));
    }
    first.Update(removed);
  }
  return first;
}

}  // namespace

void add_unmount(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("unmount", "Remove mounts; what is stored stays as it is");
  auto names = std::make_shared<std::vector<std::string>>();
  command->add_option("path", *names, "Where they are mounted")->required();
  auto is_forced = std::make_shared<bool>(false);
  command->add_flag("--force", *is_forced, "Also while objects that were written to it wait to be stored");
  command->callback([&invocation, names, is_forced] {
    invocation.run = [names, is_forced] { return run_unmount(*names, *is_forced); };
  });
}

}  // namespace forebay::cli
