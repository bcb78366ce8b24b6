#include "forebay/tensor/tensor.h"

#include <limits>

#include "forebay/memory/copy.h"

namespace forebay::tensor {

std::string TensorSpec::to_string() const {
  return fmt::format("{} {}{}{}", name_of(dtype), shape.to_string(), layout.empty() ? "" : " ",
                     layout.view());
}

Tensor::Tensor(memory::BufferRef buffer, size_t offset_bytes, TensorSpec spec)
    : buffer_(std::move(buffer)), offset_bytes_(offset_bytes), spec_(std::move(spec)) {
  FOREBAY_CHECK(buffer_ != nullptr);
  FOREBAY_CHECK(offset_bytes_ + spec_.size_bytes() <= buffer_->size_bytes());
}

std::optional<size_t> TensorSpec::checked_size_bytes() const {
  const std::optional<int64_t> elements = shape.checked_volume();
  if (!elements || *elements > std::numeric_limits<int64_t>::max() / static_cast<int64_t>(size_of(dtype))) {
    return std::nullopt;
  }
  return size_bytes();
}

Result<Tensor> Tensor::allocate(const TensorSpec& spec, std::shared_ptr<memory::MemoryResource> resource) {
  const std::optional<size_t> size_bytes = spec.checked_size_bytes();
  if (!size_bytes) {
    return invalid_argument("a tensor of {} is too large to address", spec.to_string());
  }
  FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef buffer,
                           memory::Buffer::allocate(*size_bytes, std::move(resource)));
  return Tensor(std::move(buffer), 0, spec);
}

Result<Tensor> Tensor::copy_of_bytes(Bytes bytes, const TensorSpec& spec) {
  if (bytes.size() != spec.size_bytes()) {
    return invalid_argument("{} bytes given for a tensor of {} ({} bytes)", bytes.size(), spec.to_string(),
                            spec.size_bytes());
  }
  FOREBAY_ASSIGN_OR_RETURN(Tensor result, allocate(spec));
  memory::copy(result.mutable_data(), bytes.data(), bytes.size());
  return result;
}

Result<Tensor> Tensor::reinterpreted(const TensorSpec& spec) const {
  if (spec.size_bytes() != size_bytes()) {
    return invalid_argument("a tensor of {} ({} bytes) cannot be reinterpreted as {} ({} bytes)",
                            spec_.to_string(), size_bytes(), spec.to_string(), spec.size_bytes());
  }
  Tensor result = *this;
  result.spec_ = spec;
  return result;
}

}  // namespace forebay::tensor
