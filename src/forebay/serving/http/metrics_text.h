// What Prometheus reads: counts and times of the models, and the counters of the process.
// Format: "Text-based format", version 0.0.4, of Prometheus's documentation.
#pragma once

#include <string>
#include <vector>

#include "forebay/base/metrics/metrics.h"
#include "forebay/serving/inference/model.h"

namespace forebay::serving {

/// Models as forebay_inference_*{model="...",version="..."}, times in seconds; a counter "http.requests" as
/// forebay_http_requests. Names and labels may hold any bytes:
/// what may not stand there is escaped or replaced.
std::string metrics_text(const std::vector<ModelStatistics>& models,
                         const std::vector<CounterValue>& counters);

}  // namespace forebay::serving
