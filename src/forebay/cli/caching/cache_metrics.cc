// forebay cache metrics: the counts of the host's cache for Prometheus.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <string>

#include "forebay/cli/caching/cache_commands.h"
#include "forebay/cli/caching/metrics_text.h"
#include "forebay/cli/command/output.h"
#include "forebay/cli/command/stop_on_signal.h"

namespace forebay::cli {
namespace {

Status run_metrics() {
  const StopOnSignal stop;
  FOREBAY_ASSIGN_OR_RETURN(const std::string text, metrics_now(stop.token()));
  Output output;
  output.print(text);
  return output.flush();
}

}  // namespace

void add_cache_metrics(CLI::App& cache, Invocation& invocation) {
  CLI::App* command = cache.add_subcommand("metrics", "Print its counts as Prometheus reads them");
  command->footer(
      "The daemon serves the same over HTTP at metrics.sock under FOREBAY_HOME. For the textfile collector "
      "of Prometheus' node exporter, say: "
      "forebay cache metrics > forebay.prom.new && mv forebay.prom.new forebay.prom");
  command->callback([&invocation] { invocation.run = run_metrics; });
}

}  // namespace forebay::cli
