// forebay interop: the conversion table of the frameworks in the Python beside this program.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <memory>

#include "forebay/cli/command.h"
#include "forebay/cli/python.h"

namespace forebay::cli {
namespace {

Status run_interop(bool json) {
  const std::string python = own_python().string();
  std::vector<std::string> words = {python, "-m", "forebay.interop_table"};
  if (json) {
    words.emplace_back("--json");
  }
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  execvp(python.c_str(), arguments.data());
  return errno_status(errno, python);
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
