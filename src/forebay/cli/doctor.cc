// forebay doctor: what this machine offers and what it lacks.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "forebay/cli/command/command.h"
#include "forebay/cli/machine/machine.h"

namespace forebay::cli {
namespace {

void print_json(const std::vector<Finding>& findings) {
  nlohmann::json all = nlohmann::json::array();
  for (const Finding& finding : findings) {
    all.push_back({{"name", finding.name},
                   {"verdict", name_of(finding.verdict)},
                   {"detail", finding.detail},
                   {"advice", finding.advice}});
  }
  fmt::print("{}\n", all.dump(1));
}

void print_table(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    fmt::print("{:<14} {:<8} {}\n", finding.name, name_of(finding.verdict), finding.detail);
    if (!finding.advice.empty()) {
      fmt::print("{:<14} {:<8} {}\n", "", "", finding.advice);
    }
  }
}

}  // namespace

void add_doctor(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("doctor", "What this machine offers and what it lacks");
  auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "Print JSON");
  command->callback([&invocation, as_json] {
    invocation.run = [as_json] {
      const std::vector<Finding> findings = examine_machine();
      *as_json ? print_json(findings) : print_table(findings);
      return ok_status();
    };
  });
}

}  // namespace forebay::cli
