// forebay stat: what a store knows about objects and folders.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "forebay/cli/command/command.h"
#include "forebay/cli/command/json_text.h"
#include "forebay/cli/command/output.h"
#include "forebay/cli/objects/place.h"

namespace forebay::cli {
namespace {

struct StatOptions {
  std::vector<std::string> names;
  bool as_json = false;
};

std::string text_of(const Place& place) {
  const storage::ObjectStat& stat = place.entry.stat;
  std::string text = fmt::format("{}\n  kind      {}\n  at        {}\n", place.name,
                                 place.entry.is_folder ? "folder" : "object", place.address.uri());
  if (!place.entry.is_folder) {
    text += fmt::format("  size      {}\n", stat.size_bytes);
  }
  text += fmt::format("  modified  {}\n", time_text(stat.modified_ns));
  return text + (stat.version.empty() ? "" : fmt::format("  version   {}\n", stat.version));
}

nlohmann::json json_of(const Place& place) {
  nlohmann::json json = entry_json(place.name, place.entry.is_folder, place.entry.stat);
  put_name(json, "uri", place.address.uri());
  return json;
}

Status run_stat(const StatOptions& options) {
  Output output;
  nlohmann::json all = nlohmann::json::array();
  for (const std::string& name : options.names) {
    FOREBAY_ASSIGN_OR_RETURN(const Place place, find_place(name));
    if (options.as_json) {
      all.push_back(json_of(place));
    } else {
      output.print(text_of(place));
    }
  }
  if (options.as_json) {
    output.print(json_line(all) + "\n");
  }
  return output.flush();
}

}  // namespace

void add_stat(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("stat", "Show what is known about objects and folders");
  auto options = std::make_shared<StatOptions>();
  command->add_option("path", options->names, "Paths or URIs")->required();
  command->add_flag("--json", options->as_json, "Print a list in JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_stat(*options); }; });
}

}  // namespace forebay::cli
