#include "forebay/tensor/batch.h"

#include "forebay/memory/copy.h"

namespace forebay::tensor {
namespace {

TensorSpec batch_spec(const TensorSpec& sample, int size) {
  TensorSpec spec;
  spec.dtype = sample.dtype;
  spec.shape.push_back(size);
  for (const int64_t extent : sample.shape) {
    spec.shape.push_back(extent);
  }
  if (!sample.layout.empty() && sample.layout.size() < kMaxRank) {
    spec.layout = Layout("N" + sample.layout.to_string());
  }
  return spec;
}

}  // namespace

bool Batch::has_uniform_shape() const {
  for (const Tensor& sample : samples_) {
    if (sample.shape() != samples_[0].shape() || sample.dtype() != samples_[0].dtype()) {
      return false;
    }
  }
  return true;
}

std::optional<Tensor> Batch::as_tensor() const {
  if (samples_.empty() || !has_uniform_shape() || samples_[0].shape().rank() == kMaxRank) {
    return std::nullopt;
  }
  const Tensor& first = samples_[0];
  const size_t stride_bytes = first.size_bytes();
  for (int i = 1; i < size(); ++i) {
    if (samples_[i].buffer() != first.buffer() ||
        samples_[i].offset_bytes() != first.offset_bytes() + i * stride_bytes) {
      return std::nullopt;
    }
  }
  return Tensor(first.buffer(), first.offset_bytes(), batch_spec(first.spec(), size()));
}

Result<Tensor> Batch::stacked() const {
  if (const auto whole = as_tensor()) {
    return *whole;
  }
  if (samples_.empty()) {
    return invalid_argument("a batch without samples has no shape to stack");
  }
  for (int i = 1; i < size(); ++i) {
    if (samples_[i].shape() != samples_[0].shape() || samples_[i].dtype() != samples_[0].dtype()) {
      return invalid_argument("samples differ and cannot be one tensor: sample 0 is {}, sample {} is {}",
                              samples_[0].spec().to_string(), i, samples_[i].spec().to_string());
    }
  }
  FOREBAY_ASSIGN_OR_RETURN(Tensor whole, Tensor::allocate(batch_spec(samples_[0].spec(), size())));
  auto* destination = static_cast<std::byte*>(whole.mutable_data());
  for (const Tensor& sample : samples_) {
    memory::copy(destination, sample.data(), sample.size_bytes());
    destination += sample.size_bytes();
  }
  return whole;
}

}  // namespace forebay::tensor
