// From a message of the wire to a request for models.
#pragma once

#include "forebay/serving/grpc/grpc_door.h"
#include "forebay/serving/grpc/wire_reader.h"
#include "forebay/serving/inference/inference.h"

namespace forebay::serving {

/// What a message asks for.
struct ReadRequest {
  InferRequest request;
  bool has_timing = false;  // "timing": the answer is to say where the time went
};

/// The request, with sizes checked and parameters read; tensors share the message's memory unless they would
/// lie at addresses that their elements cannot have. A deadline is not set but by the parameter "timeout".
/// invalid_argument names the input or parameter.
Result<ReadRequest> to_request(const WireRequest& wire, const TensorExtensions& extensions);

}  // namespace forebay::serving
