// Whether a request fits a model: names, datatypes, shapes, the size of its batch.
#pragma once

#include "forebay/base/status.h"
#include "forebay/serving/inference/inference.h"

namespace forebay::serving {

/// invalid_argument names what is wrong, what the model has, and for a name that it has not the nearest.
Status check_request(const InferRequest& request, const ModelMetadata& metadata);

/// The rows of a request that check_request() found right: the first extent of its inputs; 1 where the model
/// takes no batches.
int64_t rows_of(const InferRequest& request, const ModelMetadata& metadata);

}  // namespace forebay::serving
