// forebay snapshot: writes the names of everything below a folder to a file, from a listing, an inventory or
// a plain list, and brings that file up to date. A mount that names it asks its store for no stat and no
// listing.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "forebay/cli/command/command.h"
#include "forebay/cli/command/json_text.h"
#include "forebay/cli/command/output.h"
#include "forebay/cli/command/progress_bar.h"
#include "forebay/cli/command/stop_on_signal.h"
#include "forebay/cli/objects/place.h"
#include "forebay/storage/listing/inventory.h"
#include "forebay/storage/listing/snapshot_refresh.h"
#include "forebay/storage/namespace/mount_database.h"
#include "forebay/storage/namespace/mount_table.h"
#include "forebay/storage/remote/wall_time.h"
#include "forebay/storage/stores/store_registry.h"
#include "forebay/storage/uri.h"

namespace forebay::cli {
namespace {

using storage::ObjectAddress;

struct SnapshotOptions {
  std::string name;
  std::string file;
  std::string inventory;
  std::string list;
  bool as_json = false;
};

/// The folder in the store itself: a mount that has a snapshot would answer from that.
Result<ObjectAddress> find_source(const std::string& name) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::Uri uri, storage::parse_uri(name));
  FOREBAY_ASSIGN_OR_RETURN(ObjectAddress address, resolve(name));
  if (uri.is_plain_path) {
    storage::MountDatabase database(storage::process_mounts());
    FOREBAY_ASSIGN_OR_RETURN(const storage::MountTableRef table, database.table());
    const std::string path = std::filesystem::absolute(name).lexically_normal().string();
    const storage::MountEntry* const mount = table->covering(std::string_view(path).substr(1));
    if (mount != nullptr && !mount->snapshot.empty()) {
      FOREBAY_ASSIGN_OR_RETURN(const storage::Uri behind, storage::parse_uri(mount->uri));
      FOREBAY_ASSIGN_OR_RETURN(const ObjectAddress source,
                               storage::default_registry().open(behind, {.options = mount->options}));
      address.store = source.store;
    }
  }
  address.key = storage::as_folder_key(std::move(address.key));
  return address;
}

Result<storage::FillEntries> entries_of(const SnapshotOptions& options, const ObjectAddress& source,
                                        const storage::CallContext& context, ProgressBar& bar) {
  if (!options.inventory.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(const storage::Uri uri, storage::parse_uri(source.uri()));
    FOREBAY_ASSIGN_OR_RETURN(ObjectAddress inventory, resolve(options.inventory));
    return storage::inventory_entries(std::move(inventory), uri.authority, source.key, context);
  }
  if (!options.list.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(ObjectAddress list, resolve(options.list));
    return storage::named_entries(*source.store, std::move(list), source.key, context);
  }
  const auto progress = [&bar](uint64_t objects) { bar.show(0, fmt::format("{} objects", objects)); };
  return storage::listed_entries(*source.store, source.key, progress, context);
}

Status print_outcome(const storage::RefreshOutcome& outcome, bool as_json) {
  Output output;
  if (as_json) {
    output.print(json_line({{"objects", outcome.objects},
                            {"added", outcome.added},
                            {"changed", outcome.changed},
                            {"removed", outcome.removed},
                            {"rewritten", outcome.is_rewritten}}) +
                 "\n");
  } else {
    output.print(fmt::format("{} objects: {} added, {} changed, {} removed\n", outcome.objects, outcome.added,
                             outcome.changed, outcome.removed));
  }
  return output.flush();
}

Status run_snapshot(const SnapshotOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const ObjectAddress source, find_source(options.name));
  const StopOnSignal stop;
  storage::RefreshOutcome outcome;
  {
    ProgressBar bar("listing", 1);
    const storage::CallContext context = {.cancellation = stop.token()};
    FOREBAY_ASSIGN_OR_RETURN(const storage::FillEntries fill, entries_of(options, source, context, bar));
    const storage::SnapshotFacts facts = {.source = storage::snapshot_source(*source.store, source.key),
                                          .listed_ns = storage::wall_clock_seconds() * 1'000'000'000};
    FOREBAY_ASSIGN_OR_RETURN(outcome, storage::refresh_snapshot(options.file, facts, fill));
  }
  return print_outcome(outcome, options.as_json);
}

}  // namespace

void add_snapshot(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "snapshot", "Write the names below a folder to a file, or bring it up to date, for `mount --snapshot`");
  auto options = std::make_shared<SnapshotOptions>();
  command->add_option("path", options->name, "A folder: a path or URI")->required();
  command->add_option("file", options->file, "The snapshot")->required();
  CLI::Option* const inventory = command->add_option(
      "--inventory", options->inventory,
      "Instead of listing, take an S3 inventory in CSV: its manifest.json, or a file of bucket, key, size, "
      "last modified, ETag");
  command
      ->add_option("--list", options->list,
                   "Instead of listing, take the keys of this file, one on each line, below the folder")
      ->excludes(inventory);
  command->add_flag("--json", options->as_json, "Print what has changed in JSON");
  command->callback(
      [&invocation, options] { invocation.run = [options] { return run_snapshot(*options); }; });
}

}  // namespace forebay::cli
