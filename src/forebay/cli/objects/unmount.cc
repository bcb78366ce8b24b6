// forebay unmount: takes a mount out of the table. What is stored stays as it is.
#include <CLI/CLI.hpp>
#include <memory>

#include "forebay/cli/command.h"
#include "forebay/cli/objects/mount_words.h"
#include "forebay/storage/namespace/mount_database.h"

namespace forebay::cli {
namespace {

Status run_unmount(const std::vector<std::string>& names) {
  storage::MountDatabase database(storage::process_mounts());
  for (const std::string& name : names) {
    FOREBAY_ASSIGN_OR_RETURN(const std::string path, mount_path(name));
    FOREBAY_RETURN_IF_ERROR(database.remove(path));
  }
  return ok_status();
}

}  // namespace

void add_unmount(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("unmount", "Remove mounts; what is stored stays as it is");
  auto names = std::make_shared<std::vector<std::string>>();
  command->add_option("path", *names, "Where they are mounted")->required();
  command->callback([&invocation, names] { invocation.run = [names] { return run_unmount(*names); }; });
}

}  // namespace forebay::cli
