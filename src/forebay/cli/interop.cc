// forebay interop: the conversion table of the frameworks in the Python beside this program.
#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "forebay/cli/command.h"
#include "forebay/cli/python.h"

namespace forebay::cli {
namespace {

Status run_interop(bool json) {
  std::vector<std::string> arguments = {"-m", "forebay.interop_table"};
  if (json) {
    arguments.emplace_back("--json");
  }
  return become_python(std::move(arguments));
}

}  // namespace

void add_interop(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "interop", "What a hand-over between each two frameworks costs here, proven (needs Python)");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "One JSON document instead of a table");
  command->callback([&invocation, json] { invocation.run = [json] { return run_interop(*json); }; });
}

}  // namespace forebay::cli
