// A request without JSON, whose body is the only input of a model: `curl --data-binary @picture.jpg`.
// Source: Triton's "Binary Tensor Data Extension", raw binary requests.
#pragma once

#include "forebay/serving/protocol/parse_request.h"

namespace forebay::serving {

/// The body as the only input of the model. Of its extents the batch is 1, and one more may be left open: it
/// follows from the size. Of BYTES the body is the only element; its length is written before it where the
/// buffer has room, else it is copied. Other datatypes are as binary tensors.
/// The answer is binary. invalid_argument for models of several inputs and sizes that do not fit.
Result<ParsedRequest> raw_request(const RequestBody& body, const ModelMetadata& metadata,
                                  const ParseOptions& options);

}  // namespace forebay::serving
