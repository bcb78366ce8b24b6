// forebay cache flush: waits until what was written back is stored.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "forebay/cli/caching/cache_commands.h"
#include "forebay/cli/command/duration.h"
#include "forebay/cli/command/json_text.h"
#include "forebay/cli/command/progress_bar.h"
#include "forebay/cli/command/stop_on_signal.h"
#include "forebay/cli/command/this_program.h"
#include "forebay/control/waiting_writes.h"

namespace forebay::cli {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;

struct FlushOptions {
  std::string path;  // empty: everything
  uint64_t patience_s = 0;
  bool as_json = false;
};

void print_end(const FlushOptions& options, const control::Flushed& flushed) {
  const control::WaitingWrites& left = flushed.left;
  if (options.as_json) {
    fmt::print("{}\n", json_line({{"stored", flushed.stored},
                                  {"waiting", left.objects},
                                  {"failing", left.failing},
                                  {"last_error", left.last_error}}));
  } else if (left.objects == 0) {
    fmt::print("all is stored\n");
  }
}

Status run_flush(const FlushOptions& options) {
  control::FlushRequest request = {.name = options.path, .programs = {this_program()}};
  if (options.patience_s > 0) {
    request.patience_ns = static_cast<int64_t>(options.patience_s) * kNsPerSecond;
  }
  const StopOnSignal stop;
  ProgressBar bar("storing", 1);
  const auto show = [&bar](const control::WaitingWrites& left, uint64_t most) {
    bar.expect(most);
    bar.show(most - left.objects, left.last_error);
  };
  FOREBAY_ASSIGN_OR_RETURN(const control::Flushed flushed,
                           control::flush_writes(request, {.stop = stop.token(), .on_progress = show}));
  print_end(options, flushed);
  return flushed.status();
}

}  // namespace

void add_cache_flush(CLI::App& cache, Invocation& invocation) {
  CLI::App* command =
      cache.add_subcommand("flush", "Wait until what was written to mounts that are written back is stored");
  auto options = std::make_shared<FlushOptions>();
  command->add_option("path", options->path, "A path or URI; without one, everything");
  command->add_option("--wait", options->patience_s, "For so long at most, as in 5m; without it, for ever")
      ->transform(CLI::Validator(to_seconds, "TIME", "time"));
  command->add_flag("--json", options->as_json, "Print JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_flush(*options); }; });
}

}  // namespace forebay::cli
