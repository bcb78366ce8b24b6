// forebay interop: the conversion table of the frameworks in the Python beside this program.
#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "forebay/cli/command/command.h"
#include "forebay/cli/machine/python.h"

namespace forebay::cli {
namespace {

struct InteropForm {
  bool json = false;
  bool markdown = false;
};

Status run_interop(const InteropForm& form) {
  std::vector<std::string> arguments = {"-m", "forebay.interop"};
  if (form.json) {
    arguments.emplace_back("--json");
  }
  if (form.markdown) {
    arguments.emplace_back("--markdown");
  }
  return become_python(std::move(arguments));
}

}  // namespace

void add_interop(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "interop", "What a hand-over between each two frameworks costs here, proven (needs Python)");
  auto form = std::make_shared<InteropForm>();
  CLI::Option* json = command->add_flag("--json", form->json, "One JSON document instead of a table");
  command->add_flag("--markdown", form->markdown, "A matrix in Markdown instead of a table")->excludes(json);
  command->callback([&invocation, form] { invocation.run = [form] { return run_interop(*form); }; });
}

}  // namespace forebay::cli
