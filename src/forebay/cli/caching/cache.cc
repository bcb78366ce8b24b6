// forebay cache status: what the host's cache holds and has done.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "forebay/cache/host/host_client.h"
#include "forebay/cache/host/install_host.h"
#include "forebay/cli/command.h"

namespace forebay::cli {
namespace {

struct Row {
  const char* name;  // in the daemon's counts
  const char* words;
  bool is_bytes = false;
};

constexpr Row kRows[] = {
    {"hits", "reads answered from the cache"},
    {"misses", "reads that were not"},
    {"disk_hit_bytes", "bytes answered from disk", true},
    {"memory_hit_bytes", "bytes answered from memory", true},
    {"upstream_reads", "requests for bytes upstream"},
    {"upstream_bytes", "bytes read upstream", true},
    {"ahead_bytes", "of them before somebody asked", true},
    {"plans", "readers whose plan is followed"},
    {"entries", "entries held"},
    {"disk_bytes", "bytes on disk", true},
    {"memory_bytes", "bytes in memory", true},
    {"index_bytes", "bytes of the index", true},
    {"evictions", "entries evicted"},
    {"bypasses", "entries not taken in"},
    {"damaged", "damaged entries, read again"},
    {"directories_off", "directories off after an error"},
};

std::string in_words(const Row& row, uint64_t value) {
  constexpr double kMiB = 1 << 20;
  return row.is_bytes ? fmt::format("{:.1f} MiB", static_cast<double>(value) / kMiB) : std::to_string(value);
}

Status run_status(bool as_json) {
  FOREBAY_ASSIGN_OR_RETURN(const std::string socket, cache::host_socket());
  const Result<std::shared_ptr<cache::HostClient>> client = cache::HostClient::connect(socket);
  if (!client.ok()) {
    return annotate(client.status(), "no cache is served here; `forebay daemon` serves one");
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string text, (*client)->statistics());
  const nlohmann::json counts = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!counts.is_object()) {
    return data_loss("{}: the daemon's counts cannot be read", socket);
  }
  if (as_json) {
    fmt::print("{}\n", counts.dump(1));
    return ok_status();
  }
  for (const Row& row : kRows) {
    fmt::print("{:>14}  {}\n", in_words(row, counts.value(row.name, uint64_t{0})), row.words);
  }
  return ok_status();
}

}  // namespace

void add_cache(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("cache", "What the host's cache holds and does");
  command->require_subcommand(1);
  CLI::App* status = command->add_subcommand("status", "What it holds and has done");
  auto as_json = std::make_shared<bool>(false);
  status->add_flag("--json", *as_json, "Print JSON");
  status->callback([&invocation, as_json] { invocation.run = [as_json] { return run_status(*as_json); }; });
}

}  // namespace forebay::cli
