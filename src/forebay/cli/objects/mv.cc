// forebay mv: renames an object or folder where its store can, without moving the bytes; else copies it and
// then removes what was copied.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "forebay/cli/command/command.h"
#include "forebay/cli/command/json_text.h"
#include "forebay/cli/command/stop_on_signal.h"
#include "forebay/cli/objects/copies_bar.h"
#include "forebay/cli/objects/place.h"
#include "forebay/storage/stores/store_registry.h"
#include "forebay/storage/tree/moves.h"

namespace forebay::cli {
namespace {

using storage::CallContext;

struct MvOptions {
  std::string from;
  std::string to;
  bool keeps_existing = false;
  bool as_json = false;
};

Result<storage::Moved> move(const Place& from, const storage::ObjectAddress& to, bool if_absent,
                            const CallContext& context) {
  ProgressBar bar("moving", 0);
  return storage::move_entry(from, to, {.if_absent = if_absent, .progress = drawn_on(bar)}, context);
}

Status run_mv(const MvOptions& options) {
  const StopOnSignal stop;
  const CallContext context{.cancellation = stop.token()};
  FOREBAY_ASSIGN_OR_RETURN(const Place from, find_place(options.from, context));
  FOREBAY_ASSIGN_OR_RETURN(const Target to, find_target(options.to, from, context));
  FOREBAY_RETURN_IF_ERROR(storage::default_registry().check_no_mount(options.from, "renamed"));
  FOREBAY_ASSIGN_OR_RETURN(const storage::Moved moved,
                           move(from, to.address, options.keeps_existing, context));
  if (options.as_json) {
    fmt::print("{}\n", json_line({{"objects", moved.objects}, {"bytes", moved.bytes}}));
  }
  return ok_status();
}

}  // namespace

void add_mv(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("mv", "Move an object or folder, within its store or to another");
  command->footer(
      "Where a store cannot rename, everything is copied, then removed unless it has changed. Nothing is "
      "replaced there.");
  auto options = std::make_shared<MvOptions>();
  command->add_option("from", options->from, "A path or URI")->required();
  command->add_option("to", options->to, "Its new name, or a folder that takes it")->required();
  command->add_flag("-n,--no-clobber", options->keeps_existing, "Fail if there is something of the new name");
  command->add_flag("--json", options->as_json, "Print how much was copied, if anything, in JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_mv(*options); }; });
}

}  // namespace forebay::cli
