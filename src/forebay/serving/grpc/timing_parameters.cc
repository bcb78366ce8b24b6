// Times as parameters, under the names that HTTP gives them.
#include "forebay/serving/grpc/timing_parameters.h"

#include <nlohmann/json.hpp>

#include "forebay/serving/protocol/json_values.h"
#include "forebay/serving/protocol/timing_json.h"

namespace forebay::serving {

void add_timing(InferResponse& response) {
  Parameters& parameters = response.parameters;
  const nlohmann::json times = timing_json(response.timing);
  for (const auto& [name, time_ns] : times.items()) {
    parameters.emplace(name, time_ns.get<int64_t>());
  }
  if (!response.steps.empty()) {
    parameters.emplace("steps", to_text(steps_json(response)));
  }
}

}  // namespace forebay::serving
