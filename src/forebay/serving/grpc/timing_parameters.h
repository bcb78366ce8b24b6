// Where the time of a request went, as parameters of its answer.
#pragma once

#include "forebay/serving/inference/inference.h"

namespace forebay::serving {

/// Adds "queue_ns", "input_ns", "compute_ns", "output_ns" (integers) and, where the response has steps,
/// "steps": since parameters of gRPC are scalars, the text of the JSON array that answers over HTTP have. A
/// parameter that the model gave under such a name stays.
void add_timing(InferResponse& response);

}  // namespace forebay::serving
