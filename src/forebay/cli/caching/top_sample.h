// What a daemon said of itself at one moment, and what has happened between two of them.
#pragma once

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/cache/client/host_client.h"

namespace forebay::cli {

/// One process that the daemon serves.
struct TopProcess {
  int64_t pid = 0;
  std::string program;  // as /proc names it; empty if it does not
  uint64_t reads = 0;
  uint64_t read_bytes = 0;
  uint64_t waiting = 0;
  uint64_t longest_wait_ms = 0;
  uint64_t leases = 0;
  uint64_t plans = 0;
  std::string waits_for;
};

struct TopSample {
  int64_t time_ns = 0;
  int64_t daemon_pid = 0;
  uint64_t up_s = 0;
  uint64_t resident_bytes = 0;
  uint64_t connected = 0;
  std::map<std::string, uint64_t, std::less<>> counts;  // those of `forebay cache status`
  std::vector<TopProcess> processes;                    // who has waited longest first

  uint64_t count(std::string_view name) const {
    const auto found = counts.find(name);
    return found == counts.end() ? 0 : found->second;
  }
};

/// data_loss for a text that no daemon says.
Result<TopSample> parse_top_sample(std::string_view text, int64_t time_ns);

/// What the daemon says now, without the process that asks; programs have their names. Blocks until it
/// answers or `stop`.
Result<TopSample> take_top_sample(cache::HostClient& client, const std::stop_token& stop);

/// Two samples of one daemon.
class TopChange {
 public:
  /// With a `before` of another daemon, nothing has happened.
  TopChange(const TopSample& before, const TopSample& now);

  double seconds() const { return seconds_; }
  /// How much a count has grown in a second.
  double rate(std::string_view count) const;
  /// Of reads that the cache was asked for, those that it answered: 0 to 1; 1 if there were none.
  double hit_share() const;
  double process_rate(const TopProcess& process, uint64_t TopProcess::*count) const;

 private:
  const TopSample& before_;
  const TopSample& now_;
  const bool is_one_daemon_;
  const double seconds_;
};

/// One object of JSON: the last counts and the rates.
std::string json_of_top(const TopSample& before, const TopSample& now);

}  // namespace forebay::cli
