// An answer as gRPC takes it: tensors are sent from the memory that the model gave.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <string>
#include <vector>

#include "forebay/serving/grpc/outputs.h"

namespace forebay::serving {

/// A ModelInferResponse: `response` with these outputs in place of its own. Its bytes are those of the
/// outputs' buffers, which it shares; small ones are copied. resource_exhausted where it would have 2 GiB or
/// more, which no client of protobuf reads.
Result<grpc::ByteBuffer> write_response(const InferResponse& response,
                                        const std::vector<DeliveredOutput>& outputs);

/// A ModelStreamInferResponse that holds this answer.
Result<grpc::ByteBuffer> write_stream_response(const InferResponse& response,
                                               const std::vector<DeliveredOutput>& outputs);

/// One that holds an error, and the id and model of the request that it is about.
grpc::ByteBuffer write_stream_error(const Status& error, const std::string& id, const std::string& model);

}  // namespace forebay::serving
