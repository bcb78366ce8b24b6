// forebay du: how many bytes lie below folders.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "forebay/cli/command/command.h"
#include "forebay/cli/command/json_text.h"
#include "forebay/cli/command/output.h"
#include "forebay/cli/command/progress_bar.h"
#include "forebay/cli/command/size_text.h"
#include "forebay/cli/objects/place.h"
#include "forebay/storage/tree/total.h"

namespace forebay::cli {
namespace {

struct DuOptions {
  std::vector<std::string> names = {"."};
  bool is_readable = false;
  bool as_json = false;
};

Result<storage::Total> measure(const Place& place) {
  ProgressBar bar("counting", 1);
  return storage::count_objects(place.address, place.entry, {}, [&bar](const storage::Total& so_far) {
    bar.show(0,
             fmt::format("{}, {}", count_text(so_far.objects, "object", "objects"), size_text(so_far.bytes)));
  });
}

Status run_du(const DuOptions& options) {
  Output output;
  nlohmann::json all = nlohmann::json::array();
  for (const std::string& name : options.names) {
    FOREBAY_ASSIGN_OR_RETURN(const Place place, find_place(name));
    FOREBAY_ASSIGN_OR_RETURN(const storage::Total total, measure(place));
    if (options.as_json) {
      nlohmann::json json = {{"objects", total.objects}, {"bytes", total.bytes}};
      put_name(json, "name", place.name);
      all.push_back(std::move(json));
      continue;
    }
    const std::string size = options.is_readable ? size_text(total.bytes) : std::to_string(total.bytes);
    output.print(fmt::format("{:>14}  {:>10} objects  {}\n", size, total.objects, place.name));
  }
  if (options.as_json) {
    output.print(json_line(all) + "\n");
  }
  return output.flush();
}

}  // namespace

void add_du(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("du", "Count objects and bytes below folders");
  auto options = std::make_shared<DuOptions>();
  command->add_option("path", options->names, "Paths or URIs; without one, the current folder");
  command->add_flag("-H,--human-readable", options->is_readable, "Sizes in KiB, MiB...");
  command->add_flag("--json", options->as_json, "Print a list in JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_du(*options); }; });
}

}  // namespace forebay::cli
