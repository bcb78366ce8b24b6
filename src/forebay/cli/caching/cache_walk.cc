// forebay cache verify, free: going through what the host's cache holds of a path.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "forebay/cli/caching/cache_commands.h"
#include "forebay/cli/command/json_text.h"
#include "forebay/cli/command/progress_bar.h"
#include "forebay/cli/command/size_text.h"
#include "forebay/cli/command/stop_on_signal.h"

namespace forebay::cli {
namespace {

using cache::CacheWalked;

struct WalkOptions {
  std::string path;  // empty: everything
  bool as_json = false;
};

std::string entries_text(uint64_t entries, uint64_t bytes) {
  return fmt::format("{}, {}", count_text(entries, "entry", "entries"), size_text(bytes));
}

Result<CacheWalked> verify(const WalkOptions& options) {
  const StopOnSignal stop;
  ProgressBar bar("verifying", 1);
  return control::verify_held(options.path, walk_watcher(stop, bar));
}

Result<CacheWalked> free(const WalkOptions& options) {
  const StopOnSignal stop;
  ProgressBar bar("freeing", 1);
  return control::free_held(options.path, walk_watcher(stop, bar));
}

Status run_verify(const WalkOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const CacheWalked walked, verify(options));
  if (options.as_json) {
    fmt::print("{}\n", json_line({{"checked", walked.entries},
                                  {"checked_bytes", walked.bytes},
                                  {"damaged", walked.dropped},
                                  {"damaged_bytes", walked.dropped_bytes},
                                  {"unreadable", walked.unreadable}}));
    return control::check_readable(walked);
  }
  fmt::print("{} checked\n", entries_text(walked.entries, walked.bytes));
  if (walked.dropped > 0) {
    fmt::print("{} damaged and dropped; they are read from their store again\n",
               entries_text(walked.dropped, walked.dropped_bytes));
  }
  return control::check_readable(walked);
}

Status run_free(const WalkOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const CacheWalked walked, free(options));
  if (options.as_json) {
    fmt::print("{}\n", json_line({{"freed", walked.dropped},
                                  {"freed_bytes", walked.dropped_bytes},
                                  {"pinned", walked.pinned},
                                  {"unreadable", walked.unreadable}}));
    return control::check_readable(walked);
  }
  fmt::print("{} freed\n", entries_text(walked.dropped, walked.dropped_bytes));
  if (walked.pinned > 0) {
    fmt::print("{} pinned and left\n", walked.pinned);
  }
  return control::check_readable(walked);
}

}  // namespace

control::WalkWatcher walk_watcher(const StopOnSignal& stop, ProgressBar& bar) {
  const auto show = [&bar](const CacheWalked& so_far) {
    bar.expect(so_far.end);
    bar.show(so_far.next, entries_text(so_far.entries, so_far.bytes));
  };
  return {.stop = stop.token(), .on_piece = show, .on_page = {}};
}

void add_cache_verify(CLI::App& cache, Invocation& invocation) {
  CLI::App* command = cache.add_subcommand(
      "verify", "Compare what is on disk with its checksums; what is damaged is dropped");
  auto options = std::make_shared<WalkOptions>();
  command->add_option("path", options->path, "A path or URI; without one, everything");
  command->add_flag("--json", options->as_json, "Print JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_verify(*options); }; });
}

void add_cache_free(CLI::App& cache, Invocation& invocation) {
  CLI::App* command = cache.add_subcommand("free", "Give up what is held of a path, but for what is pinned");
  auto options = std::make_shared<WalkOptions>();
  command->add_option("path", options->path, "A path or URI")->required();
  command->add_flag("--json", options->as_json, "Print JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_free(*options); }; });
}

}  // namespace forebay::cli
