// Tensors whose bytes lie in the body of a request: shared, or copied where they are not aligned.
#include "forebay/serving/protocol/body_tensor.h"

#include <algorithm>

#include "forebay/base/metrics/metrics.h"
#include "forebay/memory/copy.h"

namespace forebay::serving {

Status set_from_body(const RequestBody& body, size_t offset_bytes, size_t size_bytes, NamedTensor& tensor) {
  tensor.size_bytes = size_bytes;
  if (size_bytes == 0) {
    return ok_status();
  }
  const Bytes bytes = body.bytes().subspan(offset_bytes, size_bytes);
  const size_t element_bytes = std::max<size_t>(size_of(tensor.datatype), 1);
  if (reinterpret_cast<uintptr_t>(bytes.data()) % element_bytes == 0) {
    tensor.buffer = body.buffer;
    tensor.offset_bytes = body.offset_bytes + offset_bytes;
    return ok_status();
  }
  counter("serving_unaligned_bytes").add(size_bytes);
  FOREBAY_ASSIGN_OR_RETURN(tensor.buffer, memory::Buffer::allocate(size_bytes));
  memory::copy(tensor.buffer->data(), bytes.data(), size_bytes);
  return ok_status();
}

Status check_bools(const NamedTensor& tensor) {
  if (tensor.datatype != Datatype::kBool) {
    return ok_status();
  }
  const Bytes bytes = tensor.bytes();
  const auto wrong = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
  if (wrong != bytes.end()) {
    return invalid_argument("input '{}': element {} is {}; a BOOL is a byte of 0 or 1", tensor.name,
                            wrong - bytes.begin(), static_cast<int>(*wrong));
  }
  return ok_status();
}

}  // namespace forebay::serving
