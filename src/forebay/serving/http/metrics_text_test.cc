#include "forebay/serving/http/metrics_text.h"

#include <gmock/gmock.h>

namespace forebay::serving {
namespace {

using ::testing::HasSubstr;

TEST(MetricsText, ModelsAndCountersHaveLines) {
  ModelStatistics model;
  model.name = "res\"net\\\n\xff";
  model.version = "3";
  model.success_count = 7;
  model.total.compute_ns = 1'500'000'000;
  const std::string text = metrics_text({model}, {{"http.requests", 12}});
  const std::string labels = R"({model="res\"net\\??",version="3"} )";
  EXPECT_THAT(text, HasSubstr("# TYPE forebay_inference_request_success_total counter\n"
                              "forebay_inference_request_success_total" +
                              labels + "7\n"));
  EXPECT_THAT(text, HasSubstr("forebay_inference_compute_seconds_total" + labels + "1.5\n"));
  EXPECT_THAT(text, HasSubstr("\nforebay_http_requests 12\n"));
}

}  // namespace
}  // namespace forebay::serving
