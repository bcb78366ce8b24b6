// forebay daemon: one cache for all processes of this user on this host.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <semaphore>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/host/daemon_process.h"
#include "forebay/cache/host/host_client.h"
#include "forebay/cache/host/host_server.h"
#include "forebay/cache/host/idle_watch.h"
#include "forebay/cache/host/install_host.h"
#include "forebay/cache/host/shared_memory.h"
#include "forebay/cache/journal/journal.h"
#include "forebay/cache/policy/policies.h"
#include "forebay/cache/rules/rule_database.h"
#include "forebay/cache/store/read_gate.h"
#include "forebay/cli/caching/background.h"
#include "forebay/cli/caching/daemon_settings.h"
#include "forebay/cli/caching/duration.h"
#include "forebay/cli/caching/written_mounts.h"
#include "forebay/cli/command.h"
#include "forebay/cli/control_groups.h"
#include "forebay/cli/objects/stop_on_signal.h"
#include "forebay/dataset/planned_samples.h"
#include "forebay/storage/namespace/forebay_home.h"
#include "forebay/storage/store_registry.h"

namespace forebay::cli {
namespace {

constexpr uint64_t kIdleOnDemandS = 600;
constexpr int64_t kNsPerS = 1'000'000'000;
constexpr int64_t kStopPatienceNs = 60 * kNsPerS;
constexpr int64_t kStoringPatienceNs = 20 * kNsPerS;
constexpr auto kBetweenLooks = std::chrono::milliseconds(250);
constexpr auto kBetweenTries = std::chrono::milliseconds(50);
constexpr int kMostDirectories = 8;
constexpr int kTries = 200;  // to get a directory that another daemon is about to leave

/// In a control group that allows little, a part of that: the group counts it, and the pages of the cache's
/// files.
uint64_t default_shared_bytes() {
  constexpr uint64_t kEnough = uint64_t{512} << 20;
  constexpr uint64_t kPartOfGroup = 4;
  return std::min(kEnough, memory_limit_of_groups().value_or(kEnough * kPartOfGroup) / kPartOfGroup);
}

struct DaemonOptions {
  std::vector<std::string> directories;  // empty: "cache" under FOREBAY_HOME
  std::string policy = "planned";
  uint64_t quota_bytes = uint64_t{64} << 30;
  uint64_t least_free_bytes = uint64_t{4} << 30;
  uint64_t memory_bytes = 0;
  uint64_t most_pinned_bytes = 0;
  uint64_t shared_bytes = default_shared_bytes();
  uint64_t ahead_bytes = uint64_t{32} << 20;
  uint64_t ahead_rate = 0;
  std::optional<uint64_t> idle_s;
  bool in_background = false;
  bool is_on_demand = false;
  bool is_to_stop = false;

  std::vector<std::string> directories_in(const std::string& home) const {
    return directories.empty() ? std::vector<std::string>{home + "/cache"} : directories;
  }

  /// It leaves the folder that it is started in.
  void make_absolute(const std::filesystem::path& folder) {
    for (std::string& directory : directories) {
      directory = (folder / directory).lexically_normal();
    }
  }

  /// For how long it goes on without a process; 0: for ever.
  int64_t idle_ns() const {
    return static_cast<int64_t>(idle_s.value_or(is_on_demand ? kIdleOnDemandS : 0)) * kNsPerS;
  }
};

/// Returns once somebody wants the program to end, or nobody has wanted it for long enough.
void wait_for(const StopOnSignal& signal, const cache::HostServer& server, int64_t idle_ns) {
  std::binary_semaphore is_over(0);
  const std::stop_callback end(signal.token(), [&] { is_over.release(); });
  cache::IdleWatch idle(idle_ns, steady_clock().now_ns());
  while (!is_over.try_acquire_for(kBetweenLooks)) {
    const bool is_storing = server.journal() && !server.journal()->is_empty();
    if (idle.is_over(server.users() + (is_storing ? 1 : 0), server.users_gone(), steady_clock().now_ns())) {
      fmt::print("forebay daemon: nobody has used it for {}; it ends\n",
                 duration_text(static_cast<uint64_t>(idle_ns / kNsPerS)));
      return;
    }
  }
}

// One that has stopped serving may still be writing.
Result<std::shared_ptr<cache::Cache>> open_directory(const cache::CacheOptions& options) {
  for (int i = 1;; ++i) {
    Result<std::shared_ptr<cache::Cache>> opened = cache::Cache::open(options);
    if (i == kTries || opened.status().code() != StatusCode::kFailedPrecondition) {
      return opened;
    }
    std::this_thread::sleep_for(kBetweenTries);
  }
}

/// Empty: what readers say they will read decides, and S3-FIFO where nobody does.
cache::PolicyFactory policy_named(const std::string& name) {
  if (name == "lru") {
    return cache::lru_policy();
  }
  return name == "s3-fifo" ? cache::s3_fifo_policy() : cache::PolicyFactory();
}

Result<std::shared_ptr<cache::Cache>> open_cache(const DaemonOptions& options,
                                                 const std::vector<std::string>& directories,
                                                 cache::Rules rules) {
  cache::CacheOptions cache_options;
  for (const std::string& directory : directories) {
    cache_options.directories.push_back({.path = directory,
                                         .quota_bytes = options.quota_bytes,
                                         .least_free_bytes = options.least_free_bytes});
  }
  cache_options.make_policy = policy_named(options.policy);
  cache_options.memory_bytes = options.memory_bytes;
  cache_options.most_pinned_bytes = options.most_pinned_bytes;
  cache_options.admission = std::move(rules);
  cache_options.fetch_ahead.in_flight_bytes = options.ahead_bytes;
  cache_options.fetch_ahead.bytes_per_second = options.ahead_rate;
  // What is kept in memory was read into it.
  const uint64_t budget = options.memory_bytes + options.shared_bytes;
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<cache::CountedMemory> memory, cache::shared_memory(budget));
  cache_options.read_into = memory;
  cache_options.read_gate =
      std::make_shared<cache::ReadGate>(budget, [memory] { return memory->out_bytes(); });
  cache_options.write_behind_bytes = std::min(cache_options.write_behind_bytes, options.shared_bytes / 4);
  return open_directory(cache_options);
}

// One that has stopped serving may still be storing.
Result<std::unique_ptr<cache::HostServer>> start_server(const cache::HostServerOptions& options) {
  for (int i = 1;; ++i) {
    Result<std::unique_ptr<cache::HostServer>> started = cache::HostServer::start(options);
    if (i == kTries || started.status().code() != StatusCode::kFailedPrecondition) {
      return started;
    }
    std::this_thread::sleep_for(kBetweenTries);
  }
}

Result<storage::ObjectAddress> open_store(const std::string& uri, const storage::StoreUse& use) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::Uri parsed, storage::parse_uri(uri));
  return storage::default_registry().open(parsed, use);
}

/// Commands that found nobody at the socket have changed the rules on disk only.
Status take_late_rules(cache::Cache& cache, const cache::RuleDatabase& database, const cache::Rules& known) {
  FOREBAY_ASSIGN_OR_RETURN(cache::Rules rules, database.rules());
  if (rules != known) {
    cache.set_rules(std::move(rules));
  }
  return ok_status();
}

/// Gives what waits to be stored a while, and says what is left for the next daemon.
void store_what_waits(const cache::HostServer& server) {
  if (!server.journal()) {
    return;
  }
  cache::WriteBack& journal = *server.journal();
  journal.hurry();
  const int64_t end_ns = steady_clock().now_ns() + kStoringPatienceNs;
  while (!journal.is_empty() && steady_clock().now_ns() < end_ns) {
    std::this_thread::sleep_for(kBetweenTries);
  }
  journal.stop();
  const cache::WriteBackStatus left = journal.status();
  if (left.objects > 0) {
    fmt::print("forebay daemon: {} objects ({} bytes) wait to be stored; the next daemon does that\n",
               left.objects, left.bytes);
  }
}

/// Serves until it is over. `background` hears whether that has begun.
Status serve(const DaemonOptions& options, const std::string& home, Background* background) {
  const StopOnSignal signal;
  FOREBAY_ASSIGN_OR_RETURN(const std::string socket, cache::host_socket());
  if (cache::HostClient::connect(socket).ok()) {
    return already_exists("a daemon serves at {} already", socket);
  }
  const std::vector<std::string> directories = options.directories_in(home);
  FOREBAY_ASSIGN_OR_RETURN(const cache::RuleDatabase database, cache::RuleDatabase::of_host());
  FOREBAY_ASSIGN_OR_RETURN(const cache::Rules rules, database.rules());
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<cache::Cache> cache,
                           open_cache(options, directories, rules));
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<cache::HostServer> server,
                           start_server({.socket = socket,
                                         .cache = cache,
                                         .open = open_store,
                                         .order = dataset::read_order_of,
                                         .rules = [&database] { return database.rules(); },
                                         .journal = cache::journal_folder(home),
                                         .mounts = written_mount}));
  FOREBAY_RETURN_IF_ERROR(take_late_rules(*cache, database, rules));
  fmt::print("forebay daemon: serving at {}, cache in {}\n", socket, fmt::join(directories, ", "));
  std::fflush(stdout);
  if (background != nullptr) {
    background->tell(ok_status());
  }
  wait_for(signal, *server, options.idle_ns());
  store_what_waits(*server);
  cache->close();
  return ok_status();
}

Status serve_in_background(const DaemonOptions& options, const std::string& home) {
  FOREBAY_ASSIGN_OR_RETURN(Background background, Background::enter(cache::daemon_log(home)));
  if (background.is_starter()) {
    FOREBAY_RETURN_IF_ERROR(background.wait());
    fmt::print("forebay daemon: serving; its log is {}\n", cache::daemon_log(home));
    return ok_status();
  }
  const Status status = serve(options, home, &background);
  background.tell(status);
  return status;
}

Status run_stop() {
  FOREBAY_ASSIGN_OR_RETURN(const std::string socket, cache::host_socket());
  FOREBAY_ASSIGN_OR_RETURN(const bool was_there, cache::stop_daemon(socket, kStopPatienceNs));
  fmt::print("forebay daemon: {}\n", was_there ? "stopped" : "none serves");
  return ok_status();
}

Status run_daemon(CLI::App& command, DaemonOptions& options) {
  if (options.is_to_stop) {
    return run_stop();
  }
  storage::default_registry().decorate({});  // the daemon asks no other
  FOREBAY_ASSIGN_OR_RETURN(const std::string home, storage::forebay_home());
  FOREBAY_RETURN_IF_ERROR(storage::make_private_folder(home));
  options.make_absolute(std::filesystem::current_path());
  FOREBAY_RETURN_IF_ERROR(take_settings(command, home + "/daemon.json"));
  options.make_absolute(home);
  if (options.in_background || options.is_on_demand) {
    return serve_in_background(options, home);
  }
  return serve(options, home, nullptr);
}

void add_sizes(CLI::App& command, DaemonOptions& options) {
  const auto size = CLI::AsSizeValue(/*kb_is_1000=*/false);
  command.add_option("--quota", options.quota_bytes, "What it may take of each disk (64GiB)")
      ->transform(size);
  command.add_option("--least-free", options.least_free_bytes, "What stays free on that disk (4GiB)")
      ->transform(size);
  command.add_option("--memory", options.memory_bytes, "What it keeps in memory beside the page cache (0)")
      ->transform(size);
  command
      .add_option("--most-pinned", options.most_pinned_bytes, "What may be pinned of it (0: half the quota)")
      ->transform(size);
  command
      .add_option(
          "--shared-memory", options.shared_bytes,
          "What reads under way may take in memory (512MiB, or a quarter of what the control group allows)")
      ->transform(size);
  command
      .add_option("--ahead", options.ahead_bytes,
                  "What may be under way at a time for readers that have not yet asked for it (32MiB)")
      ->transform(size);
  command
      .add_option("--ahead-rate", options.ahead_rate,
                  "What may be fetched for them in a second (0: no limit)")
      ->transform(size);
}

}  // namespace

void add_daemon(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "daemon", "Serve one cache of far data to all processes of this user on this host");
  command->footer(
      "Whatever reads far data starts it by itself, unless FOREBAY_DAEMON is 'off' or 'running' (one that "
      "runs is "
      "used, none is started). daemon.json under FOREBAY_HOME may hold these options for it, as in "
      "{\"quota\": \"200GiB\", \"idle\": \"1h\"}.");
  auto options = std::make_shared<DaemonOptions>();
  command
      ->add_option("--directory", options->directories,
                   "Where the cache lies (default: under FOREBAY_HOME); once for each disk")
      ->expected(1, kMostDirectories)
      ->allow_extra_args(false);
  command
      ->add_option(
          "--policy", options->policy,
          "What goes when there is no room: planned (what readers will read, the default), s3-fifo, lru")
      ->check(CLI::IsMember({"planned", "s3-fifo", "lru"}));
  add_sizes(*command, *options);
  command
      ->add_option("--idle", options->idle_s,
                   "It ends after this time without a process (never; 10m if it was started on demand)")
      ->transform(CLI::Validator(to_seconds, "TIME", "time"));
  command->add_flag("--background", options->in_background,
                    "Go on in the background, with a log in FOREBAY_HOME");
  command->add_flag("--on-demand", options->is_on_demand)->group("");  // what other processes call
  command->add_flag("--stop", options->is_to_stop, "End the one that serves");
  command->callback([&invocation, command, options] {
    invocation.run = [command, options] { return run_daemon(*command, *options); };
  });
}

}  // namespace forebay::cli
