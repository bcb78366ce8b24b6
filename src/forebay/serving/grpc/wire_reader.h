// A request as gRPC gives it: taken apart without copying the bytes of tensors where they lie in one piece.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <memory>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/memory/buffer.h"
#include "forebay/serving/grpc/inference.pb.h"

namespace forebay::serving {

/// A ModelInferRequest without its raw_input_contents, and these.
struct WireRequest {
  std::shared_ptr<inference::ModelInferRequest> head;
  /// In the message's order; null for an empty one. Those that lay in one piece keep the message alive and
  /// lie at any address, the others were copied (counted).
  std::vector<memory::BufferRef> raw;
};

/// Shares the bytes of `message`. invalid_argument for what is no such message, resource_exhausted where
/// there is no memory.
Result<WireRequest> read_wire_request(const grpc::ByteBuffer& message);

}  // namespace forebay::serving
