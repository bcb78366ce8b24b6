#include "forebay/cli/caching/metrics_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/metrics/metric_text.h"
#include "forebay/cache/client/host_connector.h"
#include "forebay/control/cache_counts.h"

namespace forebay::cli {
namespace {

struct Metric {
  std::string_view count;  // its name in `forebay cache status --json`
  std::string_view name;   // for Prometheus: with its unit, and "_total" if it only grows while a daemon runs
  std::string_view help;
};

constexpr Metric kMetrics[] = {
    {"hits", "forebay_cache_hits_total", "Reads that were answered from the cache."},
    {"misses", "forebay_cache_misses_total", "Reads that were not."},
    {"memory_hit_bytes", "forebay_cache_memory_hit_bytes_total", "Bytes answered from copies in memory."},
    {"disk_hit_bytes", "forebay_cache_disk_hit_bytes_total", "Bytes answered from disk."},
    {"upstream_reads", "forebay_cache_upstream_reads_total", "Requests for bytes to stores."},
    {"upstream_bytes", "forebay_cache_upstream_bytes_total", "Bytes read from stores."},
    {"hedged_reads", "forebay_cache_hedged_reads_total",
     "Requests made a second time, since the first lagged."},
    {"touched_reads", "forebay_cache_touched_reads_total",
     "Reads of files that were linked, or got another owner or mode, since they were listed."},
    {"ahead_reads", "forebay_cache_ahead_reads_total", "Requests begun before somebody asked, by a plan."},
    {"ahead_bytes", "forebay_cache_ahead_bytes_total", "Bytes of them."},
    {"reads", "forebay_cache_reads_total", "Reads that processes were answered."},
    {"read_bytes", "forebay_cache_read_bytes_total", "Bytes of them."},
    {"plans", "forebay_cache_plans", "Readers whose plan is followed."},
    {"insertions", "forebay_cache_insertions_total", "Entries taken in."},
    {"evictions", "forebay_cache_evictions_total", "Entries evicted."},
    {"evicted_bytes", "forebay_cache_evicted_bytes_total", "Bytes of them."},
    {"moved_bytes", "forebay_cache_moved_bytes_total",
     "Bytes written once more to free the block around them."},
    {"bypasses", "forebay_cache_bypasses_total", "Entries not taken in, for want of room or by rule."},
    {"damaged", "forebay_cache_damaged_total", "Entries dropped because of their checksum."},
    {"pins_refused", "forebay_cache_pins_refused_total", "Entries not pinned, for want of room for pins."},
    {"entries", "forebay_cache_entries", "Entries held."},
    {"memory_bytes", "forebay_cache_memory_bytes", "Bytes of copies in memory."},
    {"disk_bytes", "forebay_cache_disk_bytes", "Bytes on disk."},
    {"quota_bytes", "forebay_cache_quota_bytes", "Bytes that it may take on disk."},
    {"limit_bytes", "forebay_cache_limit_bytes", "Bytes of the quota that it may take now."},
    {"index_bytes", "forebay_cache_index_bytes", "Bytes of memory of the index."},
    {"pinned_bytes", "forebay_cache_pinned_bytes", "Bytes pinned."},
    {"most_pinned_bytes", "forebay_cache_most_pinned_bytes", "Bytes that may be pinned."},
    {"directories_off", "forebay_cache_directories_off",
     "Directories not written to any more, after an error."},
    {"write_back_objects", "forebay_write_back_objects", "Objects that wait to be stored."},
    {"write_back_bytes", "forebay_write_back_bytes", "Bytes of them."},
    {"write_back_oldest_s", "forebay_write_back_oldest_seconds", "How long the oldest of them has waited."},
    {"write_back_uploading", "forebay_write_back_uploading", "Of them, on their way to their store."},
    {"write_back_failing", "forebay_write_back_failing", "Of them, could not be stored so far."},
    {"write_back_stored", "forebay_write_back_stored_total", "Objects stored."},
    {"write_back_through", "forebay_write_back_through_total",
     "Objects written through, without the journal."},
    {"write_back_conflicts", "forebay_write_back_conflicts_total", "Objects kept beside another's."},
};

std::string one_metric(std::string_view name, std::string_view help, uint64_t value) {
  return fmt::format("{}{} {}\n", metric_head(name, help), name, value);
}

/// By number and program: a process may be connected twice, and those of other containers have no number
/// here.
using ProcessTable = std::map<std::pair<int64_t, std::string>, TopProcess>;

void add(const TopProcess& process, TopProcess* sum) {
  sum->reads += process.reads;
  sum->read_bytes += process.read_bytes;
  sum->waiting += process.waiting;
  sum->longest_wait_ms = std::max(sum->longest_wait_ms, process.longest_wait_ms);
  sum->leases += process.leases;
  sum->plans += process.plans;
}

double longest_wait_s(const TopProcess& process) {
  constexpr double kMsPerSecond = 1000;
  return static_cast<double>(process.longest_wait_ms) / kMsPerSecond;
}

/// `number` is a member of a process or a function of it.
template <class Number>
std::string process_metric(std::string_view name, std::string_view help, const ProcessTable& processes,
                           const Number& number) {
  std::string text = processes.empty() ? "" : metric_head(name, help);
  for (const auto& [key, process] : processes) {
    text += fmt::format("{}{{pid=\"{}\",program=\"{}\"}} {}\n", name, key.first, metric_label(key.second),
                        std::invoke(number, process));
  }
  return text;
}

std::string metrics_of_processes(const std::vector<TopProcess>& processes) {
  ProcessTable table;
  for (const TopProcess& process : processes) {
    add(process, &table[{process.pid, process.program}]);
  }
  return process_metric("forebay_process_reads_total", "Reads that it was answered.", table,
                        &TopProcess::reads) +
         process_metric("forebay_process_read_bytes_total", "Bytes of them.", table,
                        &TopProcess::read_bytes) +
         process_metric("forebay_process_waiting", "Its calls that wait.", table, &TopProcess::waiting) +
         process_metric("forebay_process_longest_wait_seconds", "How long the oldest of them has waited.",
                        table, &longest_wait_s) +
         process_metric("forebay_process_leases", "Reads whose bytes it looks at.", table,
                        &TopProcess::leases) +
         process_metric("forebay_process_plans", "Its plans that are followed.", table, &TopProcess::plans);
}

}  // namespace

std::string metrics_without_daemon() {
  return one_metric("forebay_daemon_up", "Whether a daemon serves.", 0);
}

std::string metrics_text(const TopSample& sample) {
  std::string text = one_metric("forebay_daemon_up", "Whether a daemon serves.", 1);
  text += one_metric("forebay_daemon_up_seconds", "For how long it has served.", sample.up_s);
  text += one_metric("forebay_daemon_resident_bytes", "Its memory, mapped files included.",
                     sample.resident_bytes);
  text += one_metric("forebay_daemon_processes", "Processes connected to it, without the one that asks.",
                     sample.connected);
  for (const Metric& metric : kMetrics) {
    if (const auto found = sample.counts.find(metric.count); found != sample.counts.end()) {
      text += one_metric(metric.name, metric.help, found->second);
    }
  }
  return text + metrics_of_processes(sample.processes);
}

Result<std::string> metrics_now(const std::stop_token& stop) {
  const Result<std::shared_ptr<cache::HostClient>> client = control::connect_to_cache();
  if (cache::says_absent(client.status())) {
    return metrics_without_daemon();
  }
  FOREBAY_RETURN_IF_ERROR(client.status());
  FOREBAY_ASSIGN_OR_RETURN(const TopSample sample, take_top_sample(**client, stop));
  return metrics_text(sample);
}

}  // namespace forebay::cli
