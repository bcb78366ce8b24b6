// Counts and times as lines of Prometheus's text format.
#include "forebay/serving/http/metrics_text.h"

#include <fmt/format.h>

#include <functional>
#include <iterator>

#include "forebay/base/metrics/metric_text.h"

namespace forebay::serving {
namespace {

constexpr double kSecondsInNs = 1e-9;

struct ModelMetric {
  const char* name;
  const char* help;
  std::function<double(const ModelStatistics&)> value;
};

std::vector<ModelMetric> model_metrics() {
  using Row = const ModelStatistics&;
  return {
      {"request_success_total", "Requests that were answered", [](Row row) { return row.success_count; }},
      {"request_failure_total", "Requests that ended with an error",
       [](Row row) { return row.failure_count; }},
      {"samples_total", "Rows of the requests that were answered",
       [](Row row) { return row.inference_count; }},
      {"executions_total", "Runs of the model", [](Row row) { return row.execution_count; }},
      {"request_seconds_total", "From arrival to answer, of answered requests",
       [](Row row) { return row.success_ns * kSecondsInNs; }},
      {"queue_seconds_total", "Waiting to be run", [](Row row) { return row.total.queue_ns * kSecondsInNs; }},
      {"input_seconds_total", "Bringing inputs to the model",
       [](Row row) { return row.total.input_ns * kSecondsInNs; }},
      {"compute_seconds_total", "Running the model",
       [](Row row) { return row.total.compute_ns * kSecondsInNs; }},
      {"output_seconds_total", "Taking outputs from the model",
       [](Row row) { return row.total.output_ns * kSecondsInNs; }},
  };
}

std::string metric_name(std::string_view counter) {
  std::string name = "forebay_";
  for (const char c : counter) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += fits ? c : '_';
  }
  return name;
}

}  // namespace

std::string metrics_text(const std::vector<ModelStatistics>& models,
                         const std::vector<CounterValue>& counters) {
  std::string text;
  for (const ModelMetric& metric : model_metrics()) {
    const std::string name = fmt::format("forebay_inference_{}", metric.name);
    text += metric_head(name, metric.help);
    for (const ModelStatistics& model : models) {
      fmt::format_to(std::back_inserter(text), "{}{{model=\"{}\",version=\"{}\"}} {}\n", name,
                     metric_label(model.name), metric_label(model.version), metric.value(model));
    }
  }
  for (const CounterValue& counter : counters) {
    const std::string name = metric_name(counter.name);
    text += metric_head(name, "A counter of the process", true);
    fmt::format_to(std::back_inserter(text), "{} {}\n", name, counter.value);
  }
  return text;
}

}  // namespace forebay::serving
