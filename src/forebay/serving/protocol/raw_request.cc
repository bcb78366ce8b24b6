// A request without JSON: the shape follows from the size of the body.
#include "forebay/serving/protocol/raw_request.h"

#include <cstring>
#include <limits>
#include <utility>

#include <fmt/ranges.h>

#include "forebay/memory/copy.h"
#include "forebay/serving/protocol/body_tensor.h"

namespace forebay::serving {
namespace {

constexpr int64_t kAnyExtent = -1;

// The shape of an input of so many elements, where `has_batch` for a batch of one.
Result<std::vector<int64_t>> raw_shape(const TensorMetadata& input, bool has_batch, uint64_t elements) {
  std::vector<int64_t> shape = input.shape;
  int64_t* open = nullptr;
  int64_t known = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i == 0 && has_batch) {
      shape[i] = 1;
    }
    if (shape[i] == kAnyExtent && open != nullptr) {
      return invalid_argument("input '{}' of shape [{}] leaves too much open to be sent without JSON",
                              input.name, fmt::join(input.shape, ","));
    }
    if (shape[i] == kAnyExtent) {
      open = &shape[i];
    } else if (shape[i] <= 0 || __builtin_mul_overflow(known, shape[i], &known)) {
      return invalid_argument("input '{}' of shape [{}] cannot be sent without JSON", input.name,
                              fmt::join(input.shape, ","));
    }
  }
  if (open != nullptr) {
    *open = static_cast<int64_t>(elements / static_cast<uint64_t>(known));
  }
  return shape;
}

// A tensor of one element, the body.
Status set_only_element(const RequestBody& body, NamedTensor& tensor) {
  if (body.size_bytes > std::numeric_limits<uint32_t>::max()) {
    return invalid_argument("input '{}': {} bytes are more than an element can have", tensor.name,
                            body.size_bytes);
  }
  const auto length = static_cast<uint32_t>(body.size_bytes);
  tensor.size_bytes = sizeof(length) + body.size_bytes;
  if (body.buffer != nullptr && body.unused_bytes >= sizeof(length)) {
    tensor.buffer = body.buffer;
    tensor.offset_bytes = body.offset_bytes - sizeof(length);
    std::byte* const before = body.buffer->mutable_bytes().data() + tensor.offset_bytes;
    std::memcpy(before, &length, sizeof(length));  // copy: a number of 4 bytes
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(tensor.buffer, memory::Buffer::allocate(tensor.size_bytes));
  std::byte* const to = tensor.buffer->mutable_bytes().data();
  std::memcpy(to, &length, sizeof(length));  // copy: a number of 4 bytes
  if (body.size_bytes > 0) {
    memory::copy(to + sizeof(length), body.bytes().data(), body.size_bytes);
  }
  return ok_status();
}

}  // namespace

Result<ParsedRequest> raw_request(const RequestBody& body, const ModelMetadata& metadata,
                                  const ParseOptions& options) {
  if (metadata.inputs.size() != 1) {
    return invalid_argument("model '{}' has {} inputs; a request without JSON can have one only",
                            metadata.name, metadata.inputs.size());
  }
  const TensorMetadata& input = metadata.inputs[0];
  const bool is_bytes = input.datatype == Datatype::kBytes;
  NamedTensor tensor;
  tensor.name = input.name;
  tensor.datatype = input.datatype;
  const uint64_t elements = is_bytes ? 1 : body.size_bytes / size_of(input.datatype);
  FOREBAY_ASSIGN_OR_RETURN(tensor.shape, raw_shape(input, metadata.max_batch_size > 0, elements));
  FOREBAY_RETURN_IF_ERROR(is_bytes ? set_only_element(body, tensor)
                                   : set_from_body(body, 0, body.size_bytes, tensor));
  FOREBAY_RETURN_IF_ERROR(check_size(tensor));
  FOREBAY_RETURN_IF_ERROR(check_bools(tensor));
  ParsedRequest parsed;
  parsed.request.model = options.model;
  parsed.request.version = options.version;
  parsed.request.inputs.push_back(std::move(tensor));
  parsed.form.is_binary = true;
  return parsed;
}

}  // namespace forebay::serving
