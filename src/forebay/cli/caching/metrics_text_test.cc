#include "forebay/cli/caching/metrics_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(MetricsText, CountersAndGaugesAreToldApart) {
  const std::string text =
      metrics_text({.up_s = 7, .counts = {{"hits", 3}, {"entries", 4}, {"unstored_bytes", 5}}});
  EXPECT_THAT(text, HasSubstr("# TYPE forebay_cache_hits_total counter\nforebay_cache_hits_total 3\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE forebay_cache_entries gauge\nforebay_cache_entries 4\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE forebay_cache_unstored_bytes gauge\n"));
  EXPECT_THAT(text, HasSubstr("forebay_daemon_up_seconds 7\n"));
  EXPECT_THAT(text, Not(HasSubstr("forebay_process")));
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

}  // namespace
}  // namespace forebay::cli
