// The body of an answer over HTTP: JSON, and behind it the bytes of binary tensors, which are not copied.
// Source: KServe's Open Inference Protocol V2; Triton's extensions for binary tensor data and shared memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "forebay/serving/protocol/answer_outputs.h"
#include "forebay/serving/protocol/parse_request.h"

namespace forebay::serving {

struct ResponseBody {
  std::string json;
  std::vector<NamedTensor> pieces;  // whose bytes follow the JSON, in this order
  /// The value of Inference-Header-Content-Length: there if an output is binary, be it of no bytes.
  std::optional<size_t> header_length;

  size_t size_bytes() const;
};

/// `form` is what parse_request() gave with the request; the rest as for answer_outputs(). If the client
/// asked for `timing`, the response's parameters have "queue_ns", "input_ns", "compute_ns" and "output_ns",
/// and for ensembles "steps": an array of objects with these and "model". The errors of answer_outputs() and
/// append_elements().
Result<ResponseBody> write_response(InferResponse response, const AnswerForm& form,
                                    const ModelMetadata* metadata, const SharedRegions* regions);

}  // namespace forebay::serving
