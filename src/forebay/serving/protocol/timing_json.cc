// Where the time of a request went, as JSON.
#include "forebay/serving/protocol/timing_json.h"

#include <nlohmann/json.hpp>

namespace forebay::serving {

nlohmann::json timing_json(const Timing& timing) {
  return {{"queue_ns", timing.queue_ns},
          {"input_ns", timing.input_ns},
          {"compute_ns", timing.compute_ns},
          {"output_ns", timing.output_ns}};
}

nlohmann::json steps_json(const InferResponse& response) {
  nlohmann::json steps = nlohmann::json::array();
  for (const auto& [model, timing] : response.steps) {
    steps.push_back(timing_json(timing));
    steps.back()["model"] = model;
  }
  return steps;
}

}  // namespace forebay::serving
