// forebay daemon: one cache for all processes of this user on this host.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "forebay/cache/client/daemon_process.h"
#include "forebay/cache/client/install_host.h"
#include "forebay/cli/caching/daemon_settings.h"
#include "forebay/cli/caching/serve.h"
#include "forebay/cli/command/command.h"
#include "forebay/cli/command/duration.h"
#include "forebay/storage/home/forebay_home.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::cli {
namespace {

constexpr int64_t kPatienceNs = 60'000'000'000;
constexpr int kMaxDirectories = 8;

Status run_stop() {
  FOREBAY_ASSIGN_OR_RETURN(const std::string socket, cache::host_socket());
  FOREBAY_ASSIGN_OR_RETURN(const bool was_there, cache::stop_daemon(socket, kPatienceNs));
  fmt::print("forebay daemon: {}\n", was_there ? "stopped" : "none serves");
  return ok_status();
}

Status run_reload() {
  FOREBAY_ASSIGN_OR_RETURN(const std::string socket, cache::host_socket());
  FOREBAY_ASSIGN_OR_RETURN(const bool was_there, cache::reload_daemon(socket, kPatienceNs));
  if (!was_there) {
    return not_found("no cache is served here; `forebay daemon` serves one");
  }
  fmt::print("forebay daemon: reloaded\n");
  return ok_status();
}

Status run_daemon(CLI::App& command, DaemonOptions& options) {
  if (options.is_to_stop) {
    return run_stop();
  }
  const ProgramStart start = ProgramStart::of_process();
  storage::default_registry().decorate({});  // the daemon asks no other
  FOREBAY_ASSIGN_OR_RETURN(const std::string home, storage::forebay_home());
  FOREBAY_RETURN_IF_ERROR(storage::make_private_folder(home));
  options.make_absolute(std::filesystem::current_path());
  FOREBAY_RETURN_IF_ERROR(take_settings(command, home + "/daemon.json"));
  options.make_absolute(home);
  if (options.is_to_reload) {
    return run_reload();  // the settings can be read
  }
  return serve_daemon(options, home, start);
}

void add_sizes(CLI::App& command, DaemonOptions& options) {
  const auto size = CLI::AsSizeValue(/*kb_is_1000=*/false);
  command.add_option("--quota", options.quota_bytes, "What it may take of each disk")->transform(size);
  command.add_option("--least-free", options.least_free_bytes, "What stays free on that disk")
      ->transform(size);
  command.add_option("--memory", options.memory_bytes, "What it keeps in memory beside the page cache")
      ->transform(size);
  command
      .add_option("--most-pinned", options.most_pinned_bytes, "What may be pinned of it (0: half the quota)")
      ->transform(size);
  command
      .add_option("--shared-memory", options.shared_bytes,
                  "What reads under way may take in memory; by default at most a quarter of what the control "
                  "group allows")
      ->transform(size);
  command
      .add_option("--ahead", options.ahead_bytes,
                  "What may be under way at a time for readers that have not yet asked for it")
      ->transform(size);
  command
      .add_option("--ahead-rate", options.ahead_rate,
                  "What may be fetched for them in a second (0: no limit)")
      ->transform(size);
}

}  // namespace

void add_daemon(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "daemon", "Serve one cache of remote data to all processes of this user on this host");
  command->footer(
      "Whatever reads remote data starts it by itself, unless FOREBAY_DAEMON is 'off' or 'running' (one that "
      "runs is "
      "used, none is started). daemon.json under FOREBAY_HOME may hold these options for it, as in "
      "{\"quota\": \"200GiB\", \"idle\": \"1h\"}.");
  auto options = std::make_shared<DaemonOptions>();
  command
      ->add_option("--directory", options->directories,
                   "Where the cache lies (default: under FOREBAY_HOME); once for each disk")
      ->expected(1, kMaxDirectories)
      ->allow_extra_args(false);
  command
      ->add_option("--policy", options->policy,
                   "What goes when there is no room: planned (what readers will read), s3-fifo, lru")
      ->check(CLI::IsMember({"planned", "s3-fifo", "lru"}));
  add_sizes(*command, *options);
  command
      ->add_option("--idle", options->idle_s,
                   "It ends after this time without a process (never; 10m if it was started on demand)")
      ->transform(CLI::Validator(to_seconds, "TIME", "time"));
  command->add_flag("--background", options->in_background,
                    "Go on in the background, with a log in FOREBAY_HOME");
  command->add_flag("--on-demand", options->is_on_demand)->group("");  // what other processes call
  command->add_flag("--reloaded", options->is_reloaded)->group("");
  CLI::Option* const stop = command->add_flag("--stop", options->is_to_stop, "End the one that serves");
  command
      ->add_flag(
          "--reload", options->is_to_reload,
          "Have the one that serves begin anew, with what daemon.json and the program are now; it keeps "
          "what it holds, and its own command line")
      ->excludes(stop);
  command->callback([&invocation, command, options] {
    invocation.run = [command, options] { return run_daemon(*command, *options); };
  });
}

}  // namespace forebay::cli
