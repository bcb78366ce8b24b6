// forebay preload: brings objects into the host's cache before somebody reads them.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/cache/preload/preload.h"
#include "forebay/cli/caching/cache_counts.h"
#include "forebay/cli/caching/sample_order.h"
#include "forebay/cli/caching/sample_source.h"
#include "forebay/cli/command.h"
#include "forebay/cli/objects/json_text.h"
#include "forebay/cli/objects/place.h"
#include "forebay/cli/objects/stop_on_signal.h"
#include "forebay/cli/progress_bar.h"
#include "forebay/storage/namespace/forebay_home.h"
#include "forebay/storage/uri.h"

namespace forebay::cli {
namespace {

using cache::PreloadCounts;
using cache::PreloadRecord;
using cache::PreloadState;

struct PreloadCommand {
  std::string path;
  std::optional<uint64_t> seed;
  uint64_t epoch = 0;
  uint32_t num_shards = 1;
  std::string index;
  std::vector<std::string> extensions;
  cache::PreloadOptions options;
  bool begins_anew = false;
  bool shows_progress = false;
  bool is_to_stop = false;
  bool as_json = false;
};

/// What is preloaded: a folder of a store, and in which order.
struct Target {
  std::string name;  // as it was given, for messages: without what may be secret
  std::shared_ptr<storage::ObjectStore> store;
  std::string prefix;  // a key
  std::string uri;
  std::string order;  // empty: by name
  std::string file;   // of the record
  std::string
      index;  // where the data set's goes if the user names no place: it is mapped, not held in memory
};

Result<Target> target_of(const PreloadCommand& command) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, resolve(command.path));
  Target target = {.name = storage::uri_for_message(command.path),
                   .store = address.store,
                   .prefix = storage::as_folder_key(address.key)};
  target.uri = target.store->uri_of(target.prefix);
  if (command.seed) {
    target.order =
        fmt::format("seed {} epoch {} shards {}", *command.seed, command.epoch, command.num_shards);
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string home, storage::forebay_home());
  target.file = cache::preload_file_of(home + "/preloads", target.uri, target.order);
  target.index = cache::preload_file_of(home + "/preloads", target.uri, "") + ".index";
  return target;
}

Status check_cached(const PreloadCommand&, const Target& target) {
  if (target.store->features().can_bring) {
    return ok_status();
  }
  const bool is_local = target.store->local_file(target.prefix).has_value();
  const std::string_view hint =
      is_local
          ? "Local files are read where they are; those on something slow, such as a network, have to be "
            "mounted by `forebay mount PATH FOLDER --option cache=on`"
          : "Of a folder with mounts below it, preload each of them";
  return failed_precondition(
      "{}: no cache keeps it. {}. A daemon must be there, or FOREBAY_DAEMON allow to start one", target.name,
      hint);
}

nlohmann::json json_of(const PreloadRecord& record, std::string_view state) {
  const PreloadCounts& counts = record.counts;
  nlohmann::json json = {{"state", state},
                         {"objects", counts.objects},
                         {"bytes", counts.bytes},
                         {"fetched_objects", counts.came_objects},
                         {"fetched_bytes", counts.came_bytes},
                         {"failed", counts.failed}};
  put_name(json, "uri", record.uri);
  if (!record.order.empty()) {
    json["order"] = record.order;
  }
  if (!record.first_error.empty()) {
    put_name(json, "first_error", record.first_error);
  }
  return json;
}

std::string text_of(const PreloadRecord& record, std::string_view state) {
  const PreloadCounts& counts = record.counts;
  std::string text = fmt::format("{}: {}, {} objects, {} bytes; fetched {} objects, {} bytes", record.uri,
                                 state, counts.objects, counts.bytes, counts.came_objects, counts.came_bytes);
  if (counts.failed > 0) {
    text += fmt::format("; {} failed, the first: {}", counts.failed, record.first_error);
  }
  return text;
}

void print_record(const PreloadRecord& record, std::string_view state, bool as_json) {
  fmt::print("{}\n", as_json ? json_line(json_of(record, state)) : text_of(record, state));
}

Status show_progress(const PreloadCommand& command, const Target& target) {
  FOREBAY_ASSIGN_OR_RETURN(const std::optional<PreloadRecord> record, cache::read_preload(target.file));
  if (!record) {
    return not_found("{}: it was never preloaded{}", target.name, command.seed ? " in this order" : "");
  }
  FOREBAY_ASSIGN_OR_RETURN(const pid_t worker, cache::preload_worker(target.file));
  const bool is_done = record->state == PreloadState::kDone;
  print_record(*record, worker != 0 ? "running" : is_done ? "done" : "stopped", command.as_json);
  return ok_status();
}

Status stop(const PreloadCommand&, const Target& target) {
  FOREBAY_ASSIGN_OR_RETURN(const bool was_running, cache::stop_preload(target.file));
  return was_running ? ok_status() : not_found("{}: no preload is under way", target.name);
}

Result<std::unique_ptr<cache::PreloadSource>> source_of(const PreloadCommand& command, const Target& target,
                                                        const std::string& mark) {
  if (!command.seed) {
    return cache::listed_source(target.store, target.prefix, mark);
  }
  uint64_t position = 0;
  if (!mark.empty() && !CLI::detail::lexical_cast(mark, position)) {
    return data_loss("{}: not the record of this order; remove it to begin anew", target.file);
  }
  if (mark.empty()) {
    // Of an earlier call: in some stores it would not notice new objects.
    std::error_code ignored;
    std::filesystem::remove(target.index, ignored);
  }
  const SampleSourceOptions options = {.path = command.path,
                                       .store = target.store,
                                       .prefix = target.prefix,
                                       .index_file = command.index.empty() ? target.index : command.index,
                                       .extensions = command.extensions};
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const dataset::IndexedSource> samples, samples_in(options));
  return sample_order(std::move(samples),
                      {.seed = *command.seed, .epoch = command.epoch, .num_shards = command.num_shards},
                      position);
}

/// Goes on where an unfinished one ended; a finished one begins anew, which looks whether all is still there.
PreloadRecord begin_with(const PreloadCommand& command, const Target& target,
                         std::optional<PreloadRecord> earlier) {
  const bool goes_on = earlier && earlier->state == PreloadState::kUnfinished && !command.begins_anew;
  return goes_on ? *std::move(earlier) : PreloadRecord{.uri = target.uri, .order = target.order};
}

Status preload(const PreloadCommand& command, const Target& target) {
  FOREBAY_RETURN_IF_ERROR(check_cached(command, target));
  const Result<std::unique_ptr<cache::PreloadFile>> file = cache::PreloadFile::open({.file = target.file});
  if (!file.ok()) {
    return annotate(file.status(), target.name);
  }
  FOREBAY_ASSIGN_OR_RETURN(std::optional<PreloadRecord> earlier, (*file)->read());
  PreloadRecord record = begin_with(command, target, std::move(earlier));
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<cache::PreloadSource> source,
                           source_of(command, target, record.mark));
  cache::PreloadOptions options = command.options;
  // It must not push out its own beginning.
  FOREBAY_ASSIGN_OR_RETURN(const nlohmann::json counts_before, ask_cache_counts());
  options.most_bytes = count_in_json(counts_before, "quota_bytes");
  ProgressBar bar("preloading", 0);
  const uint64_t before = record.counts.objects + record.counts.failed;
  options.on_progress = [&](const PreloadCounts& counts, uint64_t known_objects) {
    const uint64_t done = counts.objects + counts.failed;
    bar.expect(std::max(done, command.seed ? known_objects : before + known_objects));
    bar.show(done, fmt::format("{} objects, {:.1f} MiB fetched", done,
                               static_cast<double>(counts.came_bytes) / (1 << 20)));
  };
  const StopOnSignal signal;
  cache::Preload run(*source, **file, std::move(record), options);
  const Status status = run.run(signal.token());
  const PreloadCounts& counts = run.record().counts;
  print_record(run.record(), status.ok() ? "done" : "stopped", command.as_json);
  FOREBAY_RETURN_IF_ERROR(status);
  return counts.failed == 0 ? ok_status()
                            : unavailable("{}: {} objects could not be preloaded, the first: {}", target.name,
                                          counts.failed, run.record().first_error);
}

Status run_preload(const PreloadCommand& command) {
  FOREBAY_ASSIGN_OR_RETURN(const Target target, target_of(command));
  if (command.shows_progress) {
    return show_progress(command, target);
  }
  return command.is_to_stop ? stop(command, target) : preload(command, target);
}

}  // namespace

void add_preload(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "preload", "Bring a folder into this host's cache, beside the jobs that run; call it again to go on");
  auto options = std::make_shared<PreloadCommand>();
  command->add_option("path", options->path, "A folder: a path in a mount, or a URI")->required();
  CLI::Option* const seed = command->add_option(
      "--seed", options->seed,
      "In the order in which readers of files, .tar or .tfrecord read it with random_shuffle "
      "and this seed");
  command->add_option("--epoch", options->epoch, "Of that order (0)")->needs(seed);
  command
      ->add_option("--num-shards", options->num_shards, "Of the job's readers, which read side by side (1)")
      ->needs(seed)
      ->check(CLI::PositiveNumber);
  command->add_option("--index", options->index, "The data set's index, see `forebay index`")->needs(seed);
  command
      ->add_option("--ext", options->extensions, "For .tar: the extensions of one part of a sample, by ';'")
      ->needs(seed);
  command->add_flag("--verify", options->options.is_verified,
                    "Read back what was written to the cache, and compare it");
  command
      ->add_option("--rate-limit", options->options.bytes_per_second,
                   "Most bytes fetched a second (100MiB, say)")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false));
  command->add_flag("--again", options->begins_anew, "Begin anew where an earlier call was not finished");
  CLI::Option* const progress =
      command->add_flag("--progress", options->shows_progress, "Print how far a preload is, and begin none");
  command->add_flag("--stop", options->is_to_stop, "End the one under way; a later call goes on")
      ->excludes(progress);
  command->add_flag("--json", options->as_json, "Print JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_preload(*options); }; });
}

}  // namespace forebay::cli
