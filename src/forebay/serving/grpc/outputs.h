// The outputs of an answer as the request asked for them: classes, places in shared memory.
#pragma once

#include <optional>
#include <vector>

#include "forebay/serving/grpc/grpc_door.h"

namespace forebay::serving {

struct DeliveredOutput {
  NamedTensor tensor;
  std::optional<SharedPlace> place;  // its bytes are there already, so many, and do not travel
};

/// The outputs that were `requested`, or all of `response` where none was. Labels of classes come from the
/// metadata of `models`. internal_error for an output that the model did not give; the extensions' errors,
/// with the output's name.
Result<std::vector<DeliveredOutput>> deliver_outputs(const InferResponse& response,
                                                     const std::vector<RequestedOutput>& requested,
                                                     const TensorExtensions& extensions,
                                                     const ModelServer& models);

}  // namespace forebay::serving
