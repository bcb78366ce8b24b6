// forebay memory: what a log of memory requests shows, and how a pool would have met them.
#include "forebay/cli/memory.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "forebay/base/units.h"
#include "forebay/cli/command/command.h"
#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/host/host_pool.h"
#include "forebay/memory/host/huge_page_resource.h"

namespace forebay::cli {
namespace {

constexpr size_t kSlack = size_t{16} << 20;

struct MemoryCommand {
  std::string log;
  ReplaySettings settings;
  bool is_free_running = false;
  bool as_json = false;
};

std::string size_text(uint64_t bytes) {
  return bytes < kMiB ? fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024)
                      : fmt::format("{:.1f} MiB", static_cast<double>(bytes) / kMiB);
}

Status print_csv(const std::string& log) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<memory::Request> requests, memory::read_log(log));
  fmt::print("{}", memory::to_csv(requests));
  return ok_status();
}

Status run_replay(const MemoryCommand& command) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<memory::Request> log, memory::read_log(command.log));
  ReplaySettings settings = command.settings;
  settings.is_in_order = !command.is_free_running;
  FOREBAY_ASSIGN_OR_RETURN(const ReplayOutcome outcome, replay_against(log, settings));
  fmt::print("{}\n", command.as_json ? to_json(outcome) : to_text(outcome));
  return ok_status();
}

/// A simulated device with a queue for each of the log's.
Result<std::shared_ptr<memory::SimulatedDevice>> make_device(const std::vector<memory::Request>& log,
                                                             size_t memory_bytes) {
  std::set<std::pair<uint32_t, uint32_t>> queues;
  for (const memory::Request& request : log) {
    queues.emplace(request.queue.driver, request.queue.queue);
  }
  return memory::SimulatedDevice::create(
      {.queues = static_cast<uint32_t>(queues.size() + 1), .memory_bytes = memory_bytes});
}

template <class Kind>
Result<ReplayOutcome> replay_on_pool(const std::vector<memory::Request>& log, const ReplaySettings& settings,
                                     std::shared_ptr<memory::MemoryResource> upstream, uint32_t driver) {
  FOREBAY_ASSIGN_OR_RETURN(const auto pool, Kind::create({.name = settings.pool,
                                                          .upstream = std::move(upstream),
                                                          .maximum_bytes = settings.maximum_bytes}));
  ReplayOutcome outcome{.pool = settings.pool};
  FOREBAY_ASSIGN_OR_RETURN(
      outcome.report, memory::replay(log, *pool, {.driver = driver, .is_in_order = settings.is_in_order}));
  outcome.statistics = pool->statistics();
  outcome.faults = pool->faults();
  return outcome;
}

Result<ReplayOutcome> replay_on(const std::vector<memory::Request>& log, const ReplaySettings& settings,
                                memory::MemoryResource& resource) {
  ReplayOutcome outcome{.pool = settings.pool};
  FOREBAY_ASSIGN_OR_RETURN(outcome.report,
                           memory::replay(log, resource, {.is_in_order = settings.is_in_order}));
  return outcome;
}

}  // namespace

Result<ReplayOutcome> replay_against(const std::vector<memory::Request>& log,
                                     const ReplaySettings& settings) {
  if (settings.pool == "pool") {
    return replay_on_pool<memory::Pool>(log, settings, nullptr, 0);
  }
  if (settings.pool == "checked") {
    return replay_on_pool<memory::CheckedPool>(log, settings, nullptr, 0);
  }
  if (settings.pool == "device") {
    FOREBAY_ASSIGN_OR_RETURN(const auto device, make_device(log, settings.maximum_bytes + kSlack));
    return replay_on_pool<memory::Pool>(log, settings, device->resource(), device->driver());
  }
  if (settings.pool == "host") {
    memory::HostPool pool;
    return replay_on(log, settings, pool);
  }
  if (settings.pool == "huge") {
    return replay_on(log, settings, *memory::huge_page_resource());
  }
  if (settings.pool == "system") {
    return replay_on(log, settings, *memory::host_resource());
  }
  return invalid_argument("no pool '{}': pool, checked, device, host, huge or system", settings.pool);
}

std::string to_json(const ReplayOutcome& outcome) {
  const memory::ReplayReport& report = outcome.report;
  nlohmann::json json = {{"pool", outcome.pool},
                         {"allocations", report.allocations},
                         {"failures", report.failures},
                         {"first_failure", std::string(message(report.first_failure))},
                         {"frees", report.frees},
                         {"skipped", report.skipped},
                         {"unreturned", report.unreturned},
                         {"threads", report.threads},
                         {"queues", report.queues},
                         {"asked_peak_bytes", report.peak_bytes},
                         {"seconds", report.seconds},
                         {"ns_per_request", report.ns_per_request},
                         {"faults", outcome.faults}};
  if (outcome.statistics) {
    const memory::PoolStatistics& pool = *outcome.statistics;
    json["statistics"] = {{"reserved_bytes", pool.reserved_bytes},
                          {"peak_bytes", pool.peak_bytes},
                          {"cache_hits", pool.cache_hits},
                          {"growths", pool.growths},
                          {"steals", pool.steals},
                          {"events", pool.events},
                          {"waits", pool.waits},
                          {"holes", pool.holes},
                          {"largest_hole_bytes", pool.largest_hole_bytes},
                          {"fragmentation", pool.fragmentation()}};
  }
  return json.dump(1);
}

std::string to_text(const ReplayOutcome& outcome) {
  const memory::ReplayReport& report = outcome.report;
  std::string text = fmt::format(
      "{} allocations, {} frees by {} threads on {} queues, against '{}': {:.0f} ns each, {:.3f} s in all\n"
      "asked for at once: {}",
      report.allocations, report.frees, report.threads, report.queues, outcome.pool, report.ns_per_request,
      report.seconds, size_text(report.peak_bytes));
  if (outcome.statistics) {
    const memory::PoolStatistics& pool = *outcome.statistics;
    text += fmt::format(
        ", out or cached at once: {}, taken: {} in {} pieces\n"
        "{} met by a queue's cache, {} taken from other queues by {} events and {} waits\n"
        "at the end {} holes, fragmentation {:.2f}",
        size_text(pool.peak_bytes), size_text(pool.reserved_bytes), pool.growths, pool.cache_hits,
        pool.steals, pool.events, pool.waits, pool.holes, pool.fragmentation());
  }
  if (report.skipped + report.unreturned > 0) {
    text += fmt::format("\n{} requests of the log left out, {} blocks never returned", report.skipped,
                        report.unreturned);
  }
  if (report.failures > 0) {
    text +=
        fmt::format("\n{} allocations failed, the first: {}", report.failures, message(report.first_failure));
  }
  for (const std::string& fault : outcome.faults) {
    text += "\n" + fault;
  }
  return text;
}

void add_memory(CLI::App& program, Invocation& invocation) {
  CLI::App* memory = program.add_subcommand("memory", "Logs of memory requests");
  memory->require_subcommand(1);
  auto settings = std::make_shared<MemoryCommand>();

  CLI::App* replay =
      memory->add_subcommand("replay", "Play a log back against a pool, with its threads and queues");
  replay->add_option("log", settings->log, "Log of requests, or text in the columns of RMM's logs")
      ->required();
  replay->add_option("--pool", settings->settings.pool,
                     "pool, checked, device (simulated), host, huge or system");
  replay->add_option("--maximum", settings->settings.maximum_bytes, "Most that the pool may take (8GiB, say)")
      ->transform(CLI::AsSizeValue(false));
  replay->add_flag("--free-running", settings->is_free_running,
                   "Let threads run as fast as they can instead of in the log's order");
  replay->add_flag("--json", settings->as_json, "Print JSON");
  replay->callback(
      [&invocation, settings] { invocation.run = [settings] { return run_replay(*settings); }; });

  CLI::App* csv = memory->add_subcommand("csv", "Print a log as text, in the columns of RMM's logs");
  csv->add_option("log", settings->log, "Log of requests")->required();
  csv->callback(
      [&invocation, settings] { invocation.run = [settings] { return print_csv(settings->log); }; });
}

}  // namespace forebay::cli
