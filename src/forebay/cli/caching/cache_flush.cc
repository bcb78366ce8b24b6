// forebay cache flush: waits until what was written back is stored.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/cache/host/install_host.h"
#include "forebay/cache/journal/journal.h"
#include "forebay/cli/caching/cache_commands.h"
#include "forebay/cli/caching/cache_counts.h"
#include "forebay/cli/caching/duration.h"
#include "forebay/cli/objects/json_text.h"
#include "forebay/cli/objects/stop_on_signal.h"
#include "forebay/cli/progress_bar.h"
#include "forebay/cli/this_program.h"
#include "forebay/storage/namespace/forebay_home.h"

namespace forebay::cli {
namespace {

constexpr auto kBetweenQuestions = std::chrono::milliseconds(100);
constexpr int64_t kNsPerSecond = 1'000'000'000;

struct FlushOptions {
  std::string path;  // empty: everything
  uint64_t patience_s = 0;
  bool as_json = false;
};

/// What waits below some URIs.
struct Waits {
  uint64_t objects = 0;
  uint64_t failing = 0;
  std::string last_error;
};

Result<Waits> ask(cache::HostClient& client, const std::vector<CachePlace>& places, bool hurries) {
  Waits all;
  for (const CachePlace& place : places) {
    FOREBAY_ASSIGN_OR_RETURN(const std::string text, client.backlog(place.uri, hurries));
    FOREBAY_ASSIGN_OR_RETURN(const nlohmann::json counts, parse_cache_counts(text));
    all.objects += count_in_json(counts, "objects");
    all.failing += count_in_json(counts, "failing");
    const std::string error = counts.value("last_error", "");
    all.last_error = error.empty() ? all.last_error : error;
  }
  return all;
}

/// Without a daemon nothing is stored; if something waits, one is started.
Result<std::shared_ptr<cache::HostClient>> connect_or_start() {
  Result<std::shared_ptr<cache::HostClient>> client = connect_to_cache();
  if (client.ok()) {
    return client;
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string home, storage::forebay_home());
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<cache::JournalWaiting> waiting,
                           cache::list_journal(*cache::host_files(), cache::journal_folder(home)));
  if (waiting.empty()) {
    return std::shared_ptr<cache::HostClient>();
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string socket, cache::host_socket());
  FOREBAY_RETURN_IF_ERROR(
      cache::start_daemon({.home = home, .socket = socket, .programs = {this_program()}}));
  return connect_to_cache();
}

Status print_end(const FlushOptions& options, uint64_t stored, const Waits& left) {
  if (options.as_json) {
    fmt::print("{}\n", json_line({{"stored", stored},
                                  {"waiting", left.objects},
                                  {"failing", left.failing},
                                  {"last_error", left.last_error}}));
  } else if (left.objects == 0) {
    fmt::print("all is stored\n");
  }
  return left.objects == 0
             ? ok_status()
             : make_status(StatusCode::kDeadlineExceeded, "{} objects still wait to be stored{}{}",
                           left.objects,
                           left.last_error.empty() ? "" : "; the last error: ", left.last_error);
}

Status run_flush(const FlushOptions& options) {
  std::vector<CachePlace> places = {{.uri = ""}};
  if (!options.path.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(places, cache_places(options.path));
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<cache::HostClient> client, connect_or_start());
  if (!client) {
    return print_end(options, 0, {});
  }
  const StopOnSignal stop;
  ProgressBar bar("storing", 1);
  const int64_t end_ns = steady_clock().now_ns() + static_cast<int64_t>(options.patience_s) * kNsPerSecond;
  FOREBAY_ASSIGN_OR_RETURN(Waits left, ask(*client, places, /*hurries=*/true));
  const uint64_t first = left.objects;
  uint64_t most = std::max<uint64_t>(first, 1);
  while (left.objects > 0) {
    if (stop.token().stop_requested()) {
      return cancelled("stopped; {} objects still wait to be stored", left.objects);
    }
    if (options.patience_s > 0 && steady_clock().now_ns() >= end_ns) {
      break;
    }
    most = std::max(most, left.objects);
    bar.expect(most);
    bar.show(most - left.objects, left.last_error);
    std::this_thread::sleep_for(kBetweenQuestions);
    FOREBAY_ASSIGN_OR_RETURN(left, ask(*client, places, /*hurries=*/false));
  }
  return print_end(options, first - std::min(first, left.objects), left);
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
