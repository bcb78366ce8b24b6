#include "forebay/cli/caching/metrics_text.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "forebay/cache/options/cache_statistics.h"

namespace forebay::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(MetricsText, CountersAndGaugesAreToldApart) {
  const std::string text =
      metrics_text({.up_s = 7, .counts = {{"hits", 3}, {"entries", 4}, {"write_back_bytes", 5}}});
  EXPECT_THAT(text, HasSubstr("# TYPE forebay_cache_hits_total counter\nforebay_cache_hits_total 3\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE forebay_cache_entries gauge\nforebay_cache_entries 4\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE forebay_write_back_bytes gauge\nforebay_write_back_bytes 5\n"));
  EXPECT_THAT(text, HasSubstr("forebay_daemon_up_seconds 7\n"));
  EXPECT_THAT(text, HasSubstr("forebay_daemon_up 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("forebay_process")));
  EXPECT_THAT(text, Not(HasSubstr("misses"))) << "a daemon that does not count it";
}

TEST(MetricsText, EachCountIsAMetricOfItsType) {
  const std::set<std::string> gauges = {"plans",        "entries",        "memory_bytes", "disk_bytes",
                                        "quota_bytes",  "limit_bytes",    "index_bytes",  "most_pinned_bytes",
                                        "pinned_bytes", "directories_off"};
  for (const auto& [name, count] : cache::counts_of(cache::CacheStatistics())) {
    const bool is_gauge = gauges.contains(name);
    const std::string metric = fmt::format("forebay_cache_{}{}", name, is_gauge ? "" : "_total");
    const std::string text = metrics_text({.counts = {{name, 9}}});
    EXPECT_THAT(
        text, HasSubstr(fmt::format("# TYPE {} {}\n{} 9\n", metric, is_gauge ? "gauge" : "counter", metric)));
    EXPECT_THAT(text, HasSubstr(fmt::format("# HELP {} ", metric)));
  }
}

TEST(MetricsText, ProgramsMayHaveAnyNames) {
  const TopProcess first = {.pid = 17, .program = "a\"b\\c\nd", .reads = 2, .waiting = 1};
  const TopProcess second = {.pid = 18, .program = "python", .reads = 9};
  const std::string text = metrics_text({.processes = {first, second}});
  EXPECT_THAT(text, HasSubstr("# TYPE forebay_process_reads_total counter\n"
                              "forebay_process_reads_total{pid=\"17\",program=\"a\\\"b\\\\c?d\"} 2\n"
                              "forebay_process_reads_total{pid=\"18\",program=\"python\"} 9\n"));
  EXPECT_THAT(text, HasSubstr("forebay_process_waiting{pid=\"17\","));
}

TEST(MetricsText, AProcessIsOneLineHoweverOftenItIsConnected) {
  const TopProcess first = {.pid = 17, .program = "python", .reads = 2, .longest_wait_ms = 1500, .leases = 1};
  const TopProcess again = {.pid = 17, .program = "python", .reads = 3, .longest_wait_ms = 20, .leases = 4};
  const TopProcess before = {.pid = 9, .program = "python", .reads = 5};
  const std::string text = metrics_text({.processes = {first, again, before}});
  EXPECT_THAT(text, HasSubstr("forebay_process_reads_total{pid=\"9\",program=\"python\"} 5\n"
                              "forebay_process_reads_total{pid=\"17\",program=\"python\"} 5\n# HELP"));
  EXPECT_THAT(text, HasSubstr("forebay_process_longest_wait_seconds{pid=\"17\",program=\"python\"} 1.5\n"));
  EXPECT_THAT(text, HasSubstr("forebay_process_leases{pid=\"17\",program=\"python\"} 5\n"));
}

TEST(MetricsText, WithoutADaemonThereIsOneToSaySo) {
  EXPECT_THAT(metrics_without_daemon(), HasSubstr("\nforebay_daemon_up 0\n"));
}

}  // namespace
}  // namespace forebay::cli
