// The tensors of a batch: inputs of several requests put together, outputs taken apart.
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/serving/batching/batch_queue.h"

namespace forebay::serving {

/// One request of all rows, in the order of `batch`; its requests may join and have at least one input. The
/// inputs are copied. resource_exhausted where there is no memory.
Result<InferRequest> join_requests(const std::vector<WaitingRequestPtr>& batch);

/// A response for each of `batch`, of the rows that are its; the outputs are views. internal_error if an
/// output has not as many rows as the batch.
Result<std::vector<InferResponse>> split_response(const InferResponse& response,
                                                  const std::vector<WaitingRequestPtr>& batch);

}  // namespace forebay::serving
