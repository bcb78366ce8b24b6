#include "forebay/cli/caching/serve.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <semaphore>
#include <stop_token>
#include <thread>

#include "forebay/base/clock.h"
#include "forebay/base/log/log.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/client/daemon_process.h"
#include "forebay/cache/client/host_client.h"
#include "forebay/cache/client/install_host.h"
#include "forebay/cache/hosted/host_server.h"
#include "forebay/cache/hosted/idle_watch.h"
#include "forebay/cache/journal/journal.h"
#include "forebay/cache/messages/shared_memory.h"
#include "forebay/cache/policy/policies.h"
#include "forebay/cache/rules/rule_database.h"
#include "forebay/cache/store/read_gate.h"
#include "forebay/cli/caching/metrics_server.h"
#include "forebay/cli/caching/metrics_text.h"
#include "forebay/cli/caching/written_mounts.h"
#include "forebay/cli/command/background.h"
#include "forebay/cli/command/duration.h"
#include "forebay/cli/command/stop_on_signal.h"
#include "forebay/cli/machine/control_groups.h"
#include "forebay/dataset/planning/planned_samples.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::cli {
namespace {

constexpr int64_t kNsPerS = 1'000'000'000;
constexpr int64_t kStoringPatienceNs = 20 * kNsPerS;
constexpr auto kBetweenLooks = std::chrono::milliseconds(250);
constexpr auto kBetweenTries = std::chrono::milliseconds(50);
constexpr int kTries = 200;  // to get a directory that another daemon is about to leave

enum class End { kStop, kReload };

/// Returns once somebody wants the program to end, or nobody has wanted it for long enough.
End wait_for(const StopOnSignal& signal, ReloadSignal& reload, const cache::HostServer& server,
             int64_t idle_ns, const std::string& program) {
  std::binary_semaphore is_over(0);
  const std::stop_callback end(signal.token(), [&] { is_over.release(); });
  cache::IdleWatch idle(idle_ns, steady_clock().now_ns());
  while (!is_over.try_acquire_for(kBetweenLooks)) {
    if (reload.take()) {
      if (::access(program.c_str(), X_OK) == 0) {
        return End::kReload;
      }
      log_warning("no reload: {} cannot be run", program);
    }
    const bool is_storing = server.journal() && !server.journal()->is_empty();
    if (idle.is_over(server.users() + (is_storing ? 1 : 0), server.users_gone(), steady_clock().now_ns())) {
      fmt::print("forebay daemon: nobody has used it for {}; it ends\n",
                 duration_text(static_cast<uint64_t>(idle_ns / kNsPerS)));
      return End::kStop;
    }
  }
  return End::kStop;
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
  cache_options.make_folder_policy = policy_named(options.policy);
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
void store_what_waits(cache::WriteBack& journal) {
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

/// Null where that cannot be, which is no reason not to serve.
std::unique_ptr<MetricsServer> serve_metrics(const std::string& path) {
  Result<std::unique_ptr<MetricsServer>> served = MetricsServer::start(path, [](const std::stop_token& stop) {
    const Result<std::string> text = metrics_now(stop);
    return text.ok() ? *text : metrics_without_daemon();
  });
  if (!served.ok()) {
    log_warning("no metrics at {}: {}", path, message(served.status()));
    return nullptr;
  }
  return *std::move(served);
}

/// Serves until it is over. `background` hears whether that has begun.
Result<End> serve(const DaemonOptions& options, const std::string& home, const ProgramStart& start,
                  Background* background) {
  const StopOnSignal signal;
  ReloadSignal reload;
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
  const std::unique_ptr<MetricsServer> metrics = serve_metrics(home + "/metrics.sock");
  fmt::print("forebay daemon: serving at {}, cache in {}\n", socket, fmt::join(directories, ", "));
  std::fflush(stdout);
  if (background != nullptr) {
    background->tell(ok_status());
  }
  const End end = wait_for(signal, reload, *server, options.idle_ns(), start.program);
  if (server->journal() && end == End::kStop) {
    store_what_waits(*server->journal());
  } else if (server->journal()) {
    server->journal()->stop();  // whoever comes next goes on at once
  }
  cache->close();
  return end;
}

/// Serves until it is over, or goes on as another program.
Status serve_and_reload(const DaemonOptions& options, const std::string& home, const ProgramStart& start,
                        Background* background) {
  FOREBAY_ASSIGN_OR_RETURN(const End end, serve(options, home, start, background));
  return end == End::kStop ? ok_status() : run_again(start);
}

Status serve_in_background(const DaemonOptions& options, const std::string& home, const ProgramStart& start) {
  FOREBAY_ASSIGN_OR_RETURN(Background background, Background::enter(cache::daemon_log(home)));
  if (background.is_starter()) {
    FOREBAY_RETURN_IF_ERROR(background.wait());
    fmt::print("forebay daemon: serving; its log is {}\n", cache::daemon_log(home));
    return ok_status();
  }
  const Status status = serve_and_reload(options, home, start, &background);
  background.tell(status);
  return status;
}

}  // namespace

uint64_t default_shared_bytes() {
  constexpr uint64_t kEnough = uint64_t{512} << 20;
  constexpr uint64_t kPartOfGroup = 4;
  return std::min(kEnough, memory_limit_of_groups().value_or(kEnough * kPartOfGroup) / kPartOfGroup);
}

Status serve_daemon(const DaemonOptions& options, const std::string& home, const ProgramStart& start) {
  const bool in_background = options.in_background || options.is_on_demand;
  if (in_background && !options.is_reloaded) {
    return serve_in_background(options, home, start);
  }
  if (in_background) {
    std::filesystem::current_path("/");
  }
  return serve_and_reload(options, home, start, nullptr);
}

}  // namespace forebay::cli
