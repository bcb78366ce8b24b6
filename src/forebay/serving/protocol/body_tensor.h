// Tensors whose bytes lie in the body of a request.
#pragma once

#include "forebay/serving/protocol/parse_request.h"

namespace forebay::serving {

/// Sets the buffer and size of `tensor` to so many bytes of the body, which has them. Shares the body's
/// buffer; copies where the bytes are not aligned for the tensor's datatype.
Status set_from_body(const RequestBody& body, size_t offset_bytes, size_t size_bytes, NamedTensor& tensor);

/// That elements of BOOL are 0 or 1: a byte that is neither would be no bool to who reads it.
Status check_bools(const NamedTensor& tensor);

}  // namespace forebay::serving
