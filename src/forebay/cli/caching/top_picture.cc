#include "forebay/cli/caching/top_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "forebay/cli/command/duration.h"
#include "forebay/cli/command/size_text.h"

namespace forebay::cli {
namespace {

std::string rate_text(double bytes_per_s) {
  return size_text(static_cast<uint64_t>(bytes_per_s)) + "/s";
}

std::string share_text(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

/// Of everything since the daemon began.
double all_hits(const TopSample& sample) {
  const auto hits = static_cast<double>(sample.count("hits"));
  const double all = hits + static_cast<double>(sample.count("misses"));
  return all > 0 ? hits / all : 1;
}

std::string wait_text(uint64_t milliseconds) {
  constexpr uint64_t kMsPerS = 1000;
  return milliseconds < kMsPerS ? fmt::format("{} ms", milliseconds)
                                : fmt::format("{:.1f} s", static_cast<double>(milliseconds) / kMsPerS);
}

std::vector<std::string> draw_counts(const TopSample& now, const TopChange& change) {
  const auto bytes = [&](const char* name) { return size_text(now.count(name)); };
  std::vector<std::string> lines;
  lines.push_back(fmt::format("forebay top: daemon {}, up {}, {} connected, {} plans followed",
                              now.daemon_pid, duration_text(now.up_s), now.connected, now.count("plans")));
  lines.emplace_back();
  lines.push_back(fmt::format("{:10}{:>14}  {:.0f} reads/s, {} from the cache ({} in all)", "clients",
                              rate_text(change.rate("read_bytes")), change.rate("reads"),
                              share_text(change.hit_share()), share_text(all_hits(now))));
  lines.push_back(fmt::format("{:10}{:>14}  {:.0f} requests/s, {} ahead of readers; {} in all", "upstream",
                              rate_text(change.rate("upstream_bytes")), change.rate("upstream_reads"),
                              rate_text(change.rate("ahead_bytes")), bytes("upstream_bytes")));
  lines.push_back(fmt::format("{:10}{:>14}  of {}, {} pinned of {}", "disk", bytes("disk_bytes"),
                              bytes("limit_bytes"), bytes("pinned_bytes"), bytes("most_pinned_bytes")));
  lines.push_back(fmt::format("{:10}{:>14}  {} of copies, {} of index", "memory",
                              size_text(now.resident_bytes), bytes("memory_bytes"), bytes("index_bytes")));
  lines.push_back(fmt::format("{:10}{:>14}  {:.0f}/s in, {:.0f}/s evicted; {} not taken in", "entries",
                              now.count("entries"), change.rate("insertions"), change.rate("evictions"),
                              now.count("bypasses")));
  if (now.count("write_back_objects") + now.count("write_back_conflicts") > 0) {
    lines.push_back(fmt::format("{:10}{:>14}  of {} objects wait to be stored, for {}; {} fail, {} conflicts",
                                "writes", bytes("write_back_bytes"), now.count("write_back_objects"),
                                duration_text(now.count("write_back_oldest_s")),
                                now.count("write_back_failing"), now.count("write_back_conflicts")));
  }
  if (now.count("damaged") + now.count("directories_off") > 0) {
    lines.push_back(fmt::format("{:10}{:>14}  damaged entries; {} directories off after an error", "trouble",
                                now.count("damaged"), now.count("directories_off")));
  }
  return lines;
}

std::string draw_process(const TopProcess& process, const TopChange& change) {
  return fmt::format("{:>8} {:15.15} {:>9.0f} {:>13} {:>7} {:>8} {:>6} {:>5} {}", process.pid,
                     process.program, change.process_rate(process, &TopProcess::reads),
                     rate_text(change.process_rate(process, &TopProcess::read_bytes)), process.waiting,
                     wait_text(process.longest_wait_ms), process.leases, process.plans, process.waits_for);
}

}  // namespace

std::vector<std::string> draw_top(const TopSample& before, const TopSample& now, const ScreenSize& size) {
  const TopChange change(before, now);
  std::vector<std::string> lines = draw_counts(now, change);
  lines.emplace_back();
  lines.push_back(fmt::format("{:>8} {:15} {:>9} {:>13} {:>7} {:>8} {:>6} {:>5} {}", "PID", "PROGRAM",
                              "READS/S", "BYTES", "WAITING", "LONGEST", "LOOKED", "PLANS", "WAITS FOR"));
  for (const TopProcess& process : now.processes) {
    lines.push_back(draw_process(process, change));
  }
  lines.resize(std::min(lines.size(), size.rows));
  for (std::string& line : lines) {
    line.resize(std::min(line.size(), size.columns));
    std::ranges::replace_if(
        line, [](char c) { return c < ' ' || c > '~'; }, '?');
  }
  return lines;
}

}  // namespace forebay::cli
