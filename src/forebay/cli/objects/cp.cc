// forebay cp: objects and folders from any store to any other.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "forebay/cli/command/command.h"
#include "forebay/cli/command/json_text.h"
#include "forebay/cli/command/stop_on_signal.h"
#include "forebay/cli/objects/copies_bar.h"
#include "forebay/cli/objects/place.h"

namespace forebay::cli {
namespace {

using storage::ObjectAddress;

struct CpOptions {
  std::vector<std::string> from;
  std::string to;
  bool is_recursive = false;
  bool keeps_existing = false;
  size_t jobs = 8;
  bool as_json = false;
};

Result<ObjectAddress> target_of(const CpOptions& options, const Place& from,
                                const storage::CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(Target to, find_target(options.to, from, context));
  return to.is_in_folder || options.from.size() == 1 ? Result<ObjectAddress>(std::move(to.address))
                                                     : invalid_argument(
                                                           "{} is not a folder, so only one thing can be "
                                                           "copied there; end it with / to make it a folder",
                                                           options.to);
}

Status copy_one(const std::string& name, const CpOptions& options, storage::Copies& copies,
                const storage::CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(const Place from, find_place(name, context));
  FOREBAY_ASSIGN_OR_RETURN(ObjectAddress to, target_of(options, from, context));
  if (!from.entry.is_folder) {
    return copies.add(from.address, std::move(to), from.entry.stat);
  }
  if (!options.is_recursive) {
    return invalid_argument("{} is a folder; cp -r copies folders", name);
  }
  return copies.add_folder(from, to);
}

Status run_cp(const CpOptions& options) {
  const StopOnSignal stop;
  const storage::CallContext context{.cancellation = stop.token()};
  ProgressBar bar("copying", 0);
  storage::Copies copies(
      {.skips_existing = options.keeps_existing, .jobs = options.jobs, .progress = drawn_on(bar)}, context);
  Status status;
  for (const std::string& name : options.from) {
    status = status.ok() ? copy_one(name, options, copies, context) : status;
  }
  const Status finished = copies.finish();
  FOREBAY_RETURN_IF_ERROR(status.ok() ? finished : status);
  if (options.as_json) {
    const nlohmann::json facts = {{"objects", copies.objects()}, {"bytes", copies.bytes()}};
    fmt::print("{}\n", json_line(facts));
  }
  return ok_status();
}

}  // namespace

void add_cp(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("cp", "Copy objects and folders between any stores");
  auto options = std::make_shared<CpOptions>();
  command
      ->add_option("path", options->from,
                   "What is copied, and last where to: an object, or a folder, which ends with / if new")
      ->required()
      ->expected(2, -1);
  command->add_flag("-r,--recursive", options->is_recursive, "Copy folders with all that is below");
  command->add_flag("-n,--no-clobber", options->keeps_existing, "Leave objects that exist as they are");
  command->add_option("-j,--jobs", options->jobs, "Objects that are copied at a time")
      ->check(CLI::Range(1, 256));
  command->add_flag("--json", options->as_json, "Print how much was copied in JSON");
  command->callback([&invocation, options] {
    options->to = options->from.back();
    options->from.pop_back();
    invocation.run = [options] { return run_cp(*options); };
  });
}

}  // namespace forebay::cli
