// Where the time of a request went, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "forebay/serving/inference/inference.h"

namespace forebay::serving {

/// {"queue_ns": 1, "input_ns": 2, "compute_ns": 3, "output_ns": 4}
nlohmann::json timing_json(const Timing& timing);

/// Of an ensemble: an array of such objects, each with its "model"; empty without steps.
nlohmann::json steps_json(const InferResponse& response);

}  // namespace forebay::serving
