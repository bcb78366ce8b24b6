// Tensors with names: their sizes checked, elements of bytes taken apart and put together.
#include "forebay/serving/inference/inference.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace forebay::serving {
namespace {

constexpr size_t kLengthBytes = 4;

static_assert(std::endian::native == std::endian::little);

size_t length_at(Bytes bytes) {
  uint32_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);  // copy: a number of 4 bytes
  return length;
}

Status check_lengths(const NamedTensor& tensor, int64_t count) {
  Bytes rest = tensor.bytes();
  for (int64_t i = 0; i < count; ++i) {
    if (rest.size() < kLengthBytes || rest.size() - kLengthBytes < length_at(rest)) {
      return invalid_argument("tensor '{}': element {} of {} reaches beyond its {} bytes", tensor.name, i,
                              count, tensor.size_bytes);
    }
    rest = rest.subspan(kLengthBytes + length_at(rest));
  }
  if (!rest.empty()) {
    return invalid_argument("tensor '{}': {} bytes are left behind its {} elements", tensor.name, rest.size(),
                            count);
  }
  return ok_status();
}

}  // namespace

Result<int64_t> volume_of(const std::vector<int64_t>& shape) {
  int64_t volume = 1;
  for (const int64_t extent : shape) {
    if (extent < 0) {
      return invalid_argument("a shape has the extent {}, which is negative", extent);
    }
    if (__builtin_mul_overflow(volume, extent, &volume)) {
      return invalid_argument("a shape has more than 2^63 - 1 elements");
    }
  }
  return volume;
}

Status check_size(const NamedTensor& tensor) {
  const Result<int64_t> volume = volume_of(tensor.shape);
  if (!volume.ok()) {
    return annotate(volume.status(), fmt::format("tensor '{}'", tensor.name));
  }
  if (tensor.datatype == Datatype::kBytes) {
    return check_lengths(tensor, *volume);
  }
  const size_t each = size_of(tensor.datatype);
  if (tensor.size_bytes % each != 0 || tensor.size_bytes / each != static_cast<uint64_t>(*volume)) {
    return invalid_argument(
        "tensor '{}': {} bytes were given, and its shape of {} elements of {} needs {} each", tensor.name,
        tensor.size_bytes, *volume, name_of(tensor.datatype), each);
  }
  return ok_status();
}

bool is_wanted(const InferRequest& request, std::string_view output) {
  const auto names_it = [&](const RequestedOutput& each) { return each.name == output; };
  return request.outputs.empty() || std::any_of(request.outputs.begin(), request.outputs.end(), names_it);
}

uint64_t held_bytes(const InferRequest& request) {
  constexpr uint64_t kBytesOfARequest = 1024;  // beside what follows, roughly
  constexpr uint64_t kBytesOfANode = 64;       // what a map needs for each entry, roughly
  uint64_t bytes = kBytesOfARequest + request.model.size() + request.version.size() + request.id.size();
  for (const NamedTensor& input : request.inputs) {
    bytes +=
        sizeof(NamedTensor) + input.name.size() + input.shape.size() * sizeof(int64_t) + input.size_bytes;
  }
  for (const RequestedOutput& output : request.outputs) {
    bytes += sizeof(RequestedOutput) + output.name.size() + (output.place ? output.place->region.size() : 0);
  }
  for (const auto& [name, value] : request.parameters) {
    const auto* const text = std::get_if<std::string>(&value);
    bytes += kBytesOfANode + name.size() + sizeof(Parameter) + (text == nullptr ? 0 : text->size());
  }
  return bytes;
}

bool is_refusal(const Status& error) {
  switch (error.code()) {
    case StatusCode::kResourceExhausted:
    case StatusCode::kUnavailable:
    case StatusCode::kDeadlineExceeded:
    case StatusCode::kCancelled:
      return true;
    default:
      return false;
  }
}

std::vector<Bytes> elements_of(const NamedTensor& tensor) {
  std::vector<Bytes> elements;
  for (Bytes rest = tensor.bytes(); !rest.empty();) {
    elements.push_back(rest.subspan(kLengthBytes, length_at(rest)));
    rest = rest.subspan(kLengthBytes + elements.back().size());
  }
  return elements;
}

Result<NamedTensor> bytes_tensor(std::string name, const std::vector<std::string>& elements) {
  size_t total = 0;
  for (const std::string& element : elements) {
    total += kLengthBytes + element.size();
  }
  NamedTensor tensor;
  tensor.name = std::move(name);
  tensor.datatype = Datatype::kBytes;
  tensor.shape = {static_cast<int64_t>(elements.size())};
  FOREBAY_ASSIGN_OR_RETURN(tensor.buffer, memory::Buffer::allocate(total));
  tensor.size_bytes = total;
  std::byte* to = tensor.buffer->mutable_bytes().data();
  for (const std::string& element : elements) {
    const auto length = static_cast<uint32_t>(element.size());
    std::memcpy(to, &length, kLengthBytes);                          // copy: a number of 4 bytes
    std::memcpy(to + kLengthBytes, element.data(), element.size());  // copy: names of classes
    to += kLengthBytes + element.size();
  }
  return tensor;
}

std::string_view datatype_name(const TensorMetadata& tensor) {
  return tensor.is_type_known ? name_of(tensor.datatype) : "<invalid>";
}

std::string shape_text(const std::vector<int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace forebay::serving
