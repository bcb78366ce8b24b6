// What Prometheus could not read is not written.
#include "forebay/base/metrics/metric_text.h"

#include <gtest/gtest.h>

namespace forebay {
namespace {

TEST(MetricText, HeadsNameTheType) {
  EXPECT_EQ(metric_head("reads_total", "Reads."), "# HELP reads_total Reads.\n# TYPE reads_total counter\n");
  EXPECT_EQ(metric_head("entries", "Held."), "# HELP entries Held.\n# TYPE entries gauge\n");
  EXPECT_EQ(metric_head("http_requests", "x", true),
            "# HELP http_requests x\n# TYPE http_requests counter\n");
}

TEST(MetricText, LabelsMayHoldAnyBytes) {
  EXPECT_EQ(metric_label("a\"b\\c\nd\xff"), "a\\\"b\\\\c?d?");
  EXPECT_EQ(metric_label("M\xc3\xbcller"), "M\xc3\xbcller");
}

}  // namespace
}  // namespace forebay
