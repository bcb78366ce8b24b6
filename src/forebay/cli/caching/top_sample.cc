#include "forebay/cli/caching/top_sample.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "forebay/base/clock.h"
#include "forebay/cli/command/json_text.h"
#include "forebay/control/cache_counts.h"

namespace forebay::cli {
namespace {

using Json = nlohmann::json;
using control::count_in_json;

constexpr double kNsPerSampleSecond = 1e9;

TopProcess process_of_json(const Json& json) {
  TopProcess process = {.pid = static_cast<int64_t>(count_in_json(json, "pid")),
                        .reads = count_in_json(json, "reads"),
                        .read_bytes = count_in_json(json, "read_bytes"),
                        .waiting = count_in_json(json, "waiting"),
                        .longest_wait_ms = count_in_json(json, "longest_wait_ms"),
                        .leases = count_in_json(json, "leases"),
                        .plans = count_in_json(json, "plans")};
  const auto waits_for = json.find("waits_for");
  if (waits_for != json.end() && waits_for->is_string()) {
    process.waits_for = waits_for->get<std::string>();
  }
  return process;
}

void add_counts(const Json& json, const std::string& prefix, TopSample* sample) {
  for (const auto& [name, value] : json.items()) {
    if (value.is_number_unsigned()) {
      sample->counts[prefix + name] = value.get<uint64_t>();
    }
  }
}

}  // namespace

Result<TopSample> parse_top_sample(std::string_view text, int64_t time_ns) {
  FOREBAY_ASSIGN_OR_RETURN(const Json json, control::parse_cache_counts(text));
  if (!json.contains("daemon") || !json["daemon"].is_object() || !json.contains("processes") ||
      !json["processes"].is_array()) {
    return data_loss("the daemon's counts cannot be read");
  }
  const Json& daemon = json["daemon"];
  TopSample sample = {.time_ns = time_ns,
                      .daemon_pid = static_cast<int64_t>(count_in_json(daemon, "pid")),
                      .up_s = count_in_json(daemon, "up_s"),
                      .resident_bytes = count_in_json(daemon, "resident_bytes"),
                      .connected = count_in_json(daemon, "processes")};
  add_counts(json, "", &sample);
  if (const auto writes = json.find("write_back"); writes != json.end() && writes->is_object()) {
    add_counts(*writes, "write_back_", &sample);
  }
  for (const Json& each : json["processes"]) {
    if (each.is_object()) {
      sample.processes.push_back(process_of_json(each));
    }
  }
  return sample;
}

Result<TopSample> take_top_sample(cache::HostClient& client, const std::stop_token& stop) {
  FOREBAY_ASSIGN_OR_RETURN(const std::string text, client.statistics(stop));
  FOREBAY_ASSIGN_OR_RETURN(TopSample sample, parse_top_sample(text, steady_clock().now_ns()));
  std::erase_if(sample.processes, [](const TopProcess& process) { return process.pid == ::getpid(); });
  sample.connected -= std::min<uint64_t>(sample.connected, 1);
  for (TopProcess& process : sample.processes) {
    std::getline(std::ifstream(fmt::format("/proc/{}/comm", process.pid)), process.program);
  }
  return sample;
}

TopChange::TopChange(const TopSample& before, const TopSample& now)
    : before_(before),
      now_(now),
      is_one_daemon_(before.daemon_pid == now.daemon_pid && before.up_s <= now.up_s &&
                     before.time_ns < now.time_ns),
      seconds_(is_one_daemon_ ? static_cast<double>(now.time_ns - before.time_ns) / kNsPerSampleSecond : 0) {
}

double TopChange::rate(std::string_view count) const {
  const uint64_t before = before_.count(count);
  const uint64_t now = now_.count(count);
  return is_one_daemon_ && now > before ? static_cast<double>(now - before) / seconds_ : 0;
}

double TopChange::hit_share() const {
  const double hits = rate("hits");
  const double all = hits + rate("misses");
  return all > 0 ? hits / all : 1;
}

double TopChange::process_rate(const TopProcess& process, uint64_t TopProcess::*count) const {
  const auto known = std::ranges::find(before_.processes, process.pid, &TopProcess::pid);
  const uint64_t before = known == before_.processes.end() ? 0 : (*known).*count;
  const uint64_t now = process.*count;
  return is_one_daemon_ && now > before ? static_cast<double>(now - before) / seconds_ : 0;
}

std::string json_of_top(const TopSample& before, const TopSample& now) {
  const TopChange change(before, now);
  Json json = {{"seconds", change.seconds()},
               {"daemon",
                {{"pid", now.daemon_pid},
                 {"up_s", now.up_s},
                 {"resident_bytes", now.resident_bytes},
                 {"processes", now.connected}}},
               {"hit_share", change.hit_share()},
               {"reads_per_s", change.rate("reads")},
               {"client_bytes_per_s", change.rate("read_bytes")},
               {"upstream_reads_per_s", change.rate("upstream_reads")},
               {"upstream_bytes_per_s", change.rate("upstream_bytes")},
               {"ahead_bytes_per_s", change.rate("ahead_bytes")},
               {"counts", now.counts},
               {"processes", Json::array()}};
  for (const TopProcess& process : now.processes) {
    json["processes"].push_back({{"pid", process.pid},
                                 {"program", process.program},
                                 {"reads", process.reads},
                                 {"read_bytes", process.read_bytes},
                                 {"reads_per_s", change.process_rate(process, &TopProcess::reads)},
                                 {"bytes_per_s", change.process_rate(process, &TopProcess::read_bytes)},
                                 {"waiting", process.waiting},
                                 {"longest_wait_ms", process.longest_wait_ms},
                                 {"waits_for", process.waits_for},
                                 {"leases", process.leases},
                                 {"plans", process.plans}});
  }
  return json_line(json);
}

}  // namespace forebay::cli
