// forebay daemon: one cache for all processes of this user on this host.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <semaphore>
#include <stop_token>
#include <string>

#include "forebay/cache/cache.h"
#include "forebay/cache/host/host_client.h"
#include "forebay/cache/host/host_server.h"
#include "forebay/cache/host/install_host.h"
#include "forebay/cache/host/readers_lock.h"
#include "forebay/cache/host/shared_memory.h"
#include "forebay/cli/command.h"
#include "forebay/cli/objects/stop_on_signal.h"
#include "forebay/storage/namespace/forebay_home.h"
#include "forebay/storage/store_registry.h"

namespace forebay::cli {
namespace {

struct DaemonOptions {
  std::string directory;  // empty: "cache" under FOREBAY_HOME
  uint64_t quota_bytes = uint64_t{64} << 30;
  uint64_t least_free_bytes = uint64_t{4} << 30;
  uint64_t memory_bytes = 0;
  uint64_t shared_bytes = uint64_t{512} << 20;
};

/// Returns once somebody wants the program to end.
void wait_for(const StopOnSignal& signal) {
  std::binary_semaphore is_over(0);
  const std::stop_callback end(signal.token(), [&] { is_over.release(); });
  is_over.acquire();
}

// Another daemon is found by the lock of the directory; what one that was killed has left is looked at after
// that.
Result<std::shared_ptr<cache::Cache>> open_cache(const DaemonOptions& options, const std::string& directory) {
  FOREBAY_ASSIGN_OR_RETURN(const bool was_emptied, cache::empty_if_still_read(directory));
  if (was_emptied) {
    fmt::print(stderr,
               "forebay: processes still look at what an earlier daemon shared; starting with nothing\n");
  }
  cache::CacheOptions cache_options;
  cache_options.directories = {
      {.path = directory, .quota_bytes = options.quota_bytes, .least_free_bytes = options.least_free_bytes}};
  cache_options.memory_bytes = options.memory_bytes;
  FOREBAY_ASSIGN_OR_RETURN(cache_options.read_into, cache::shared_memory(options.shared_bytes));
  return cache::Cache::open(std::move(cache_options));
}

Result<storage::ObjectAddress> open_store(const std::string& uri, const storage::StoreOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::Uri parsed, storage::parse_uri(uri));
  return storage::default_registry().open(parsed, options);
}

Status run_daemon(const DaemonOptions& options) {
  const StopOnSignal signal;
  storage::default_registry().decorate({});  // the daemon asks no other
  FOREBAY_ASSIGN_OR_RETURN(const std::string home, storage::forebay_home());
  FOREBAY_RETURN_IF_ERROR(storage::make_private_folder(home));
  FOREBAY_ASSIGN_OR_RETURN(const std::string socket, cache::host_socket());
  if (cache::HostClient::connect(socket).ok()) {
    return already_exists("a daemon serves at {} already", socket);
  }
  const std::string directory = options.directory.empty() ? home + "/cache" : options.directory;
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<cache::Cache> cache, open_cache(options, directory));
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<cache::HostServer> server,
                           cache::HostServer::start({.socket = socket, .cache = cache, .open = open_store}));
  fmt::print("forebay daemon: serving at {}, cache in {}\n", socket, directory);
  std::fflush(stdout);
  wait_for(signal);
  return ok_status();
}

}  // namespace

void add_daemon(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "daemon", "Serve one cache of far data to all processes of this user on this host");
  auto options = std::make_shared<DaemonOptions>();
  const auto size = CLI::AsSizeValue(/*kb_is_1000=*/false);
  command->add_option("--directory", options->directory,
                      "Where the cache lies (default: under FOREBAY_HOME)");
  command->add_option("--quota", options->quota_bytes, "What it may take on disk (64GiB)")->transform(size);
  command->add_option("--least-free", options->least_free_bytes, "What stays free on that disk (4GiB)")
      ->transform(size);
  command->add_option("--memory", options->memory_bytes, "What it keeps in memory beside the page cache (0)")
      ->transform(size);
  command
      ->add_option("--shared-memory", options->shared_bytes,
                   "What reads under way may take in memory (512MiB)")
      ->transform(size);
  command->callback([&invocation, options] { invocation.run = [options] { return run_daemon(*options); }; });
}

}  // namespace forebay::cli
