#include "forebay/cli/caching/metrics_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace forebay::cli {
namespace {

/// What a daemon says of the moment. All other counts only grow while it runs.
constexpr std::array<std::string_view, 10> kGauges = {
    "plans",       "entries",     "memory_bytes",      "disk_bytes",      "quota_bytes",
    "limit_bytes", "index_bytes", "most_pinned_bytes", "directories_off", "pinned_bytes"};

bool is_gauge(std::string_view name) {
  return name.starts_with("unstored_") || std::ranges::find(kGauges, name) != kGauges.end();
}

/// The value of a label, in which a few characters are escaped.
std::string label_text(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\\' || c == '"') {
      text += '\\';
    }
    const bool is_shown = c >= ' ' && c <= '~';
    text += is_shown ? c : '?';
  }
  return text;
}

std::string type_line(std::string_view name, bool is_a_gauge) {
  return fmt::format("# TYPE {} {}\n", name, is_a_gauge ? "gauge" : "counter");
}

std::string one_metric(std::string_view name, bool is_a_gauge, uint64_t value) {
  return type_line(name, is_a_gauge) + fmt::format("{} {}\n", name, value);
}

/// One number of each process.
std::string process_metric(std::string_view name, bool is_a_gauge, const TopSample& sample,
                           uint64_t TopProcess::*number) {
  std::string text = sample.processes.empty() ? "" : type_line(name, is_a_gauge);
  for (const TopProcess& process : sample.processes) {
    text += fmt::format("{}{{pid=\"{}\",program=\"{}\"}} {}\n", name, process.pid,
                        label_text(process.program), process.*number);
  }
  return text;
}

}  // namespace

std::string metrics_text(const TopSample& sample) {
  std::string text;
  for (const auto& [name, value] : sample.counts) {
    const bool is_a_gauge = is_gauge(name);
    text +=
        one_metric(fmt::format("forebay_cache_{}{}", name, is_a_gauge ? "" : "_total"), is_a_gauge, value);
  }
  text += one_metric("forebay_daemon_up_seconds", true, sample.up_s);
  text += one_metric("forebay_daemon_resident_bytes", true, sample.resident_bytes);
  text += one_metric("forebay_daemon_processes", true, sample.connected);
  text += process_metric("forebay_process_reads_total", false, sample, &TopProcess::reads);
  text += process_metric("forebay_process_read_bytes_total", false, sample, &TopProcess::read_bytes);
  text += process_metric("forebay_process_waiting", true, sample, &TopProcess::waiting);
  text +=
      process_metric("forebay_process_longest_wait_milliseconds", true, sample, &TopProcess::longest_wait_ms);
  text += process_metric("forebay_process_leases", true, sample, &TopProcess::leases);
  text += process_metric("forebay_process_plans", true, sample, &TopProcess::plans);
  return text;
}

}  // namespace forebay::cli
