#include "forebay/cache/hosted/host_status.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "forebay/base/clock.h"
#include "forebay/base/metrics/metrics.h"
#include "forebay/base/utf8.h"
#include "forebay/cache/core/disk_space.h"
#include "forebay/cache/messages/shown_name.h"
#include "forebay/storage/local/file_version.h"
#include "nlohmann/json.hpp"

namespace forebay::cache {
namespace {

constexpr int64_t kNsPerMillisecond = 1'000'000;
constexpr int64_t kNsPerSecond = 1'000'000'000;

/// What the process has in memory, mapped files included; 0 if the kernel does not tell.
uint64_t resident_bytes() {
  uint64_t all = 0;
  uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

nlohmann::json json_of(const HostActivity& process) {
  return {{"pid", process.pid},
          {"reads", process.reads},
          {"read_bytes", process.read_bytes},
          {"waiting", process.waiting},
          {"longest_wait_ms", process.longest_wait_ns / kNsPerMillisecond},
          {"waits_for", shown_name(process.waits_for)},
          {"leases", process.leases},
          {"plans", process.plans}};
}

nlohmann::json json_of(const WriteBackStatus& waits) {
  const int64_t oldest_ns = waits.objects == 0 ? 0 : std::max<int64_t>(0, wall_clock_ns() - waits.oldest_ns);
  const auto oldest_s = static_cast<uint64_t>(oldest_ns / kNsPerSecond);
  nlohmann::json json = {{"objects", waits.objects},
                         {"bytes", waits.bytes},
                         {"oldest_s", oldest_s},
                         {"uploading", waits.uploading},
                         {"failing", waits.failing},
                         {"last_error", shown_name(waits.last_error)},
                         {"stored", waits.stored},
                         {"through", waits.through},
                         {"conflicts", waits.conflicts},
                         {"last_conflicts", nlohmann::json::array()},
                         {"damaged", nlohmann::json::array()},
                         {"off", shown_name(waits.off)}};
  // The newest, as many as a message may name.
  const size_t first =
      waits.last_conflicts.size() - std::min(waits.last_conflicts.size(), kMaxShownProcesses);
  for (size_t i = first; i < waits.last_conflicts.size(); ++i) {
    const WriteConflict& conflict = waits.last_conflicts[i];
    json["last_conflicts"].push_back(
        {{"uri", shown_name(conflict.uri)}, {"kept_as", shown_name(conflict.kept_as)}});
  }
  for (size_t i = 0; i < std::min(waits.damaged.size(), kMaxShownProcesses); ++i) {
    json["damaged"].push_back(
        {{"uri", shown_name(waits.damaged[i].uri)}, {"file", shown_name(waits.damaged[i].file)}});
  }
  return json;
}

nlohmann::json json_of_backlog(const HostStores& stores, const std::string& uri) {
  return stores.journal() ? json_of(stores.journal()->status(uri)) : nlohmann::json::object();
}

}  // namespace

std::string host_status(const HostStores& stores) {
  nlohmann::json status = nlohmann::json::object();
  for (const auto& [name, count] : counts_of(stores.cache().statistics())) {
    status[name] = count;
  }
  const int64_t now_ns = steady_clock().now_ns();
  const HostActivities& activities = stores.activities();
  const std::vector<HostActivity> processes = activities.list(now_ns);
  status["hedged_reads"] = counter("storage_hedged_reads").value();
  status["touched_reads"] = storage::touched_reads();
  status["reads"] = activities.reads();
  status["read_bytes"] = activities.read_bytes();
  status["quota_bytes"] = quota_bytes_of(stores.cache().options().directories);
  nlohmann::json& folders = status["directories"] = nlohmann::json::array();
  for (const DirectoryOptions& directory : stores.cache().options().directories) {
    folders.push_back(shown_name(directory.path));
  }
  status["daemon"] = {{"pid", ::getpid()},
                      {"up_s", (now_ns - stores.began_ns()) / kNsPerSecond},
                      {"resident_bytes", resident_bytes()},
                      {"processes", processes.size()}};
  status["write_back"] = json_of_backlog(stores, {});
  nlohmann::json& shown = status["processes"] = nlohmann::json::array();
  for (size_t i = 0; i < std::min(processes.size(), kMaxShownProcesses); ++i) {
    shown.push_back(json_of(processes[i]));
  }
  return status.dump();
}

std::string backlog_status(const HostStores& stores, const std::string& uri) {
  return json_of_backlog(stores, uri).dump();
}

}  // namespace forebay::cache
