// The body of an inference request over HTTP, read: JSON, and behind it the bytes of binary tensors.
// Source: KServe's Open Inference Protocol V2; Triton's extensions for binary tensor data, classification,
// shared memory, schedule policy (priority, timeout) and parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "forebay/memory/buffer.h"
#include "forebay/serving/inference/inference.h"
#include "forebay/serving/protocol/request_json.h"
#include "forebay/serving/protocol/shared_regions.h"

namespace forebay::serving {

/// The body as it was received: a range of a buffer in host memory.
struct RequestBody {
  memory::BufferRef buffer;  // null if empty
  size_t offset_bytes = 0;
  size_t size_bytes = 0;
  size_t unused_bytes = 0;  // directly before it, in the same buffer, which are nobody's

  Bytes bytes() const {
    return buffer == nullptr ? Bytes() : buffer->bytes().subspan(offset_bytes, size_bytes);
  }
};

/// How many bytes, 1 to 64, to leave free before a body whose JSON has `header_length` bytes, in a buffer
/// that begins at a multiple of 64, so that the tensors behind the JSON begin at one too and are not copied.
/// A body without JSON has room before it for the length of its only element.
size_t bytes_before_body(uint64_t header_length);

struct ParseOptions {
  std::string model;                        // of the request's URL
  std::string version;                      // likewise; may be empty
  int64_t now_ns = 0;                       // on steady_clock(): from here a `timeout` counts
  const SharedRegions* regions = nullptr;   // null: shared memory is refused
  const ModelMetadata* metadata = nullptr;  // of the model; for bodies without JSON, refused where it is null
  RequestLimits limits;
  std::stop_token stop;  // gives up, with cancelled, soon after it says so
};

/// How a client wants its answer.
struct AnswerForm {
  std::vector<RequestedOutput> outputs;  // empty: all, as `is_binary` says
  bool is_binary = false;                // `binary_data_output`
  bool has_timing = false;               // `timing`
};

struct ParsedRequest {
  InferRequest request;
  AnswerForm form;
};

/// `header_length`: the value of Inference-Header-Content-Length; without it the whole body is JSON. At 0 the
/// body is the only input of the model, see raw_request.h.
///
/// Binary tensors share the body's buffer. They lie behind each other without gaps, so one that follows a
/// tensor of smaller elements may not be aligned for its own: it is copied, which "serving_unaligned_bytes"
/// counts. Every input passed check_size(), and elements of BOOL are 0 or 1. `timeout` counts in
/// microseconds, 0 for none. `sequence_id` and its like are refused: models keep nothing between requests.
/// invalid_argument for whatever is wrong with the body, naming the input or member; not_found for regions
/// that are not registered; unimplemented for sequences, and for shared memory where there is none.
Result<ParsedRequest> parse_request(const RequestBody& body, std::optional<uint64_t> header_length,
                                    const ParseOptions& options);

}  // namespace forebay::serving
