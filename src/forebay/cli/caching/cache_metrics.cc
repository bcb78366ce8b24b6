// forebay cache metrics: the counts of the host's cache for Prometheus.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <utility>

#include "forebay/cache/host/host_connector.h"
#include "forebay/cli/caching/cache_commands.h"
#include "forebay/cli/caching/metrics_text.h"
#include "forebay/cli/objects/output.h"
#include "forebay/cli/objects/stop_on_signal.h"
#include "forebay/control/cache_counts.h"

namespace forebay::cli {
namespace {

/// Nothing if no daemon serves.
Result<std::optional<TopSample>> take_sample(const std::stop_token& stop) {
  const Result<std::shared_ptr<cache::HostClient>> client = control::connect_to_cache();
  if (cache::says_absent(client.status())) {
    return std::optional<TopSample>();
  }
  FOREBAY_RETURN_IF_ERROR(client.status());
  FOREBAY_ASSIGN_OR_RETURN(TopSample sample, take_top_sample(**client, stop));
  return std::optional<TopSample>(std::move(sample));
}

Status run_metrics() {
  const StopOnSignal stop;
  FOREBAY_ASSIGN_OR_RETURN(const std::optional<TopSample> sample, take_sample(stop.token()));
  Output output;
  output.print(sample ? metrics_text(*sample) : metrics_without_daemon());
  return output.flush();
}

}  // namespace

void add_cache_metrics(CLI::App& cache, Invocation& invocation) {
  CLI::App* command = cache.add_subcommand("metrics", "Print its counts as Prometheus reads them");
  command->footer(
      "For the textfile collector of Prometheus' node exporter, say: "
      "forebay cache metrics > forebay.prom.new && mv forebay.prom.new forebay.prom");
  command->callback([&invocation] { invocation.run = run_metrics; });
}

}  // namespace forebay::cli
