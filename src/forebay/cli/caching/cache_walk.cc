// forebay cache verify, free: going through what the host's cache holds of a path. The daemon does it in
// pieces, which this side asks for, so the work ends when the command does.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "forebay/cli/caching/cache_commands.h"
#include "forebay/cli/objects/json_text.h"
#include "forebay/cli/objects/stop_on_signal.h"
#include "forebay/cli/progress_bar.h"
#include "forebay/cli/size_text.h"

namespace forebay::cli {
namespace {

using cache::CacheWalk;
using cache::CacheWalked;
using cache::WalkKind;

struct WalkOptions {
  std::string path;  // empty: everything
  bool as_json = false;
};

std::string entries_text(uint64_t entries, uint64_t bytes) {
  return fmt::format("{} {}, {}", entries, entries == 1 ? "entry" : "entries", size_text(bytes));
}

/// All of a walk below one URI.
Result<CacheWalked> walk(cache::HostClient& client, CacheWalk piece, const std::stop_token& stop,
                         ProgressBar& bar) {
  CacheWalked all;
  do {
    if (stop.stop_requested()) {
      return cancelled("stopped; {} were looked at", entries_text(all.entries, all.bytes));
    }
    FOREBAY_ASSIGN_OR_RETURN(const CacheWalked walked, client.walk(piece));
    all.add(walked);
    piece.begin = walked.next;
    piece.end = walked.end;
    bar.expect(walked.end);
    bar.show(walked.next, entries_text(all.entries, all.bytes));
  } while (!all.is_over());
  return all;
}

Status run_verify(const WalkOptions& options) {
  std::vector<CachePlace> places = {{.uri = ""}};
  if (!options.path.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(places, cache_places(options.path));
  }
  FOREBAY_ASSIGN_OR_RETURN(const CacheWalked walked, walk_cache(WalkKind::kVerify, places, "verifying"));
  if (options.as_json) {
    fmt::print("{}\n", json_line({{"checked", walked.entries},
                                  {"checked_bytes", walked.bytes},
                                  {"damaged", walked.dropped},
                                  {"damaged_bytes", walked.dropped_bytes},
                                  {"unreadable", walked.unreadable}}));
    return check_readable(walked);
  }
  fmt::print("{} checked\n", entries_text(walked.entries, walked.bytes));
  if (walked.dropped > 0) {
    fmt::print("{} damaged and dropped; they are read from their store again\n",
               entries_text(walked.dropped, walked.dropped_bytes));
  }
  return check_readable(walked);
}

Status run_free(const WalkOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<CachePlace> places, cache_places(options.path));
  FOREBAY_ASSIGN_OR_RETURN(const CacheWalked walked, walk_cache(WalkKind::kFree, places, "freeing"));
  if (options.as_json) {
    fmt::print("{}\n", json_line({{"freed", walked.dropped},
                                  {"freed_bytes", walked.dropped_bytes},
                                  {"pinned", walked.pinned},
                                  {"unreadable", walked.unreadable}}));
    return check_readable(walked);
  }
  fmt::print("{} freed\n", entries_text(walked.dropped, walked.dropped_bytes));
  if (walked.pinned > 0) {
    fmt::print("{} pinned and left\n", walked.pinned);
  }
  return check_readable(walked);
}

}  // namespace

Result<CacheWalked> walk_cache(WalkKind kind, const std::vector<CachePlace>& places,
                               const std::string& doing) {
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<cache::HostClient> client, connect_to_cache());
  const StopOnSignal stop;
  ProgressBar bar(doing, 1);
  CacheWalked all;
  for (const CachePlace& place : places) {
    FOREBAY_ASSIGN_OR_RETURN(const CacheWalked walked, walk(*client, {kind, place.uri}, stop.token(), bar));
    all.add(walked);
  }
  return all;
}

Status check_readable(const CacheWalked& walked) {
  return walked.unreadable == 0
             ? ok_status()
             : resource_exhausted(
                   "{} entries could not be read, for the daemon lacked descriptors or memory; "
                   "try again",
                   walked.unreadable);
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
