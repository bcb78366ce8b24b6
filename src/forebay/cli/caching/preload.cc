// forebay preload: brings objects into the host's cache before somebody reads them.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "forebay/cli/command/command.h"
#include "forebay/cli/command/json_text.h"
#include "forebay/cli/command/progress_bar.h"
#include "forebay/cli/command/stop_on_signal.h"
#include "forebay/control/preloads.h"

namespace forebay::cli {
namespace {

using cache::PreloadCounts;
using cache::PreloadRecord;

struct PreloadCommand {
  control::PreloadRequest request;
  bool shows_status = false;
  bool is_to_stop = false;
  bool as_json = false;
};

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

Status show_status(const PreloadCommand& command) {
  FOREBAY_ASSIGN_OR_RETURN(const control::PreloadStatus status, control::preload_status(command.request));
  print_record(status.record, status.state, command.as_json);
  return ok_status();
}

Status preload(const PreloadCommand& command) {
  ProgressBar bar("preloading", 0);
  const auto show = [&bar](const control::PreloadProgress& progress) {
    bar.expect(progress.known_objects);
    bar.show(progress.done_objects, fmt::format("{} objects, {:.1f} MiB fetched", progress.done_objects,
                                                static_cast<double>(progress.fetched_bytes) / (1 << 20)));
  };
  const StopOnSignal signal;
  FOREBAY_ASSIGN_OR_RETURN(const control::PreloadEnd end,
                           control::preload(command.request, {.stop = signal.token(), .on_progress = show}));
  print_record(end.record, end.state(), command.as_json);
  return end.status;
}

Status run_preload(const PreloadCommand& command) {
  if (command.shows_status) {
    return show_status(command);
  }
  return command.is_to_stop ? control::stop_preload(command.request) : preload(command);
}

}  // namespace

void add_preload(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "preload", "Bring a folder into this host's cache, beside the jobs that run; call it again to go on");
  auto options = std::make_shared<PreloadCommand>();
  command->add_option("path", options->request.path, "A folder: a path in a mount, or a URI")->required();
  CLI::Option* const seed = command->add_option(
      "--seed", options->request.seed,
      "In the order in which readers of files, .tar or .tfrecord read it with random_shuffle "
      "and this seed");
  command->add_option("--epoch", options->request.epoch, "Of that order (0)")->needs(seed);
  command
      ->add_option("--num-shards", options->request.num_shards,
                   "Of the job's readers, which read side by side")
      ->needs(seed)
      ->check(CLI::PositiveNumber);
  command->add_option("--index", options->request.index, "The data set's index, see `forebay index`")
      ->needs(seed);
  command
      ->add_option("--ext", options->request.extensions,
                   "For .tar: the extensions of one part of a sample, by ';'")
      ->needs(seed);
  command->add_flag("--verify", options->request.is_verified,
                    "Read back what was written to the cache, and compare it");
  command
      ->add_option("--rate-limit", options->request.bytes_per_second,
                   "Most bytes fetched a second (100MiB, say)")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false));
  command->add_flag("--again", options->request.begins_anew,
                    "Begin anew where an earlier call was not finished");
  CLI::Option* const status =
      command->add_flag("--status", options->shows_status, "Say how far a preload is; begins none");
  command->add_flag("--stop", options->is_to_stop, "Stop the one under way; a later call goes on")
      ->excludes(status);
  command->add_flag("--json", options->as_json, "Print JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_preload(*options); }; });
}

}  // namespace forebay::cli
