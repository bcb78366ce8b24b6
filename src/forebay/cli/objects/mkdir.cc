// forebay mkdir: makes folders, in stores that have them.
#include <CLI/CLI.hpp>
#include <memory>

#include "forebay/cli/command/command.h"
#include "forebay/cli/objects/place.h"
#include "forebay/storage/blocking.h"

namespace forebay::cli {
namespace {

Status run_mkdir(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, resolve(name));
    FOREBAY_RETURN_IF_ERROR(storage::make_directory_now(*address.store, storage::as_folder_key(address.key)));
  }
  return ok_status();
}

}  // namespace

void add_mkdir(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("mkdir", "Make folders and those above them; one that exists is left as it is");
  auto names = std::make_shared<std::vector<std::string>>();
  command->add_option("path", *names, "Paths or URIs")->required();
  command->callback([&invocation, names] { invocation.run = [names] { return run_mkdir(*names); }; });
}

}  // namespace forebay::cli
