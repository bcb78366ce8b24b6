// Times as parameters, under the names that HTTP gives them.
#include "forebay/serving/grpc/timing_parameters.h"

#include <nlohmann/json.hpp>

#include "forebay/serving/protocol/json_values.h"

namespace forebay::serving {
namespace {

std::string steps_text(const InferResponse& response) {
  nlohmann::json steps = nlohmann::json::array();
  for (const auto& [model, timing] : response.steps) {
    steps.push_back({{"model", model},
                     {"queue_ns", timing.queue_ns},
                     {"input_ns", timing.input_ns},
                     {"compute_ns", timing.compute_ns},
                     {"output_ns", timing.output_ns}});
  }
  return to_text(steps);
}

}  // namespace

void add_timing(InferResponse& response) {
  Parameters& parameters = response.parameters;
  parameters.emplace("queue_ns", response.timing.queue_ns);
  parameters.emplace("input_ns", response.timing.input_ns);
  parameters.emplace("compute_ns", response.timing.compute_ns);
  parameters.emplace("output_ns", response.timing.output_ns);
  if (!response.steps.empty()) {
    parameters.emplace("steps", steps_text(response));
  }
}

}  // namespace forebay::serving
