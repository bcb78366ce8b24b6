// forebay rm: removes objects, and folders with all that is below them.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "forebay/cli/command/command.h"
#include "forebay/cli/command/json_text.h"
#include "forebay/cli/command/progress_bar.h"
#include "forebay/cli/command/stop_on_signal.h"
#include "forebay/cli/objects/place.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/stores/store_registry.h"
#include "forebay/storage/tree/remove_tree.h"

namespace forebay::cli {
namespace {

struct RmOptions {
  std::vector<std::string> names;
  bool is_recursive = false;
  bool may_be_absent = false;
  bool as_json = false;
};

/// How many objects were removed.
Result<uint64_t> remove_named(const std::string& name, const RmOptions& options,
                              const storage::CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, resolve(name));
  if (storage::is_symbolic_link(*address.store, address.key)) {
    FOREBAY_RETURN_IF_ERROR(
        storage::remove_now(*address.store, storage::without_end_slash(address.key), context));
    return 1;
  }
  const Result<Place> place = find_place(name, context);
  if (!place.ok()) {
    const bool is_fine = options.may_be_absent && place.status().code() == StatusCode::kNotFound;
    return is_fine ? Result<uint64_t>(0) : place.status();
  }
  if (!place->entry.is_folder) {
    FOREBAY_RETURN_IF_ERROR(storage::remove_now(*address.store, address.key, context));
    return 1;
  }
  if (!options.is_recursive) {
    return invalid_argument("{} is a folder; rm -r removes folders with all that is below them", name);
  }
  FOREBAY_RETURN_IF_ERROR(storage::default_registry().check_no_mount(name, "removed"));
  ProgressBar bar("removing", 1);
  const auto show = [&bar](uint64_t count) { bar.show(0, fmt::format("{} objects", count)); };
  return storage::remove_tree(*address.store, place->folder_key(), {.progress = show}, context);
}

Status run_rm(const RmOptions& options) {
  const StopOnSignal stop;
  const storage::CallContext context{.cancellation = stop.token()};
  uint64_t removed = 0;
  for (const std::string& name : options.names) {
    FOREBAY_ASSIGN_OR_RETURN(const uint64_t count, remove_named(name, options, context));
    removed += count;
  }
  if (options.as_json) {
    fmt::print("{}\n", json_line({{"objects", removed}}));
  }
  return ok_status();
}

}  // namespace

void add_rm(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("rm", "Remove objects and folders of any store");
  auto options = std::make_shared<RmOptions>();
  command->add_option("path", options->names, "Paths or URIs")->required();
  command->add_flag("-r,--recursive", options->is_recursive, "Remove folders with all that is below them");
  command->add_flag("-f,--force", options->may_be_absent, "What does not exist is no error");
  command->add_flag("--json", options->as_json, "Print how many were removed in JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_rm(*options); }; });
}

}  // namespace forebay::cli
