#include "forebay/exchange/dlpack.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

#include "forebay/exchange/element_type.h"
#include "forebay/memory/copy.h"

namespace forebay::exchange {
namespace {

using tensor::kMaxRank;
using tensor::Shape;
using tensor::Tensor;
using tensor::TensorSpec;

// What a structure that was handed out keeps alive.
template <class Managed>
struct Export {
  Managed managed{};
  Tensor tensor;
  std::array<int64_t, kMaxRank> shape{};
  std::array<int64_t, kMaxRank> strides{};
};

template <class Managed>
Result<Managed*> make_export(const Tensor& tensor) {
  FOREBAY_ASSIGN_OR_RETURN(const ElementType type, element_type_of(tensor.dtype()));
  if (!memory::is_host_accessible(tensor.kind())) {
    return invalid_argument("a tensor in {} memory cannot be exported to the CPU",
                            memory::name_of(tensor.kind()));
  }
  auto holder = std::make_unique<Export<Managed>>();
  holder->tensor = tensor;
  const int rank = tensor.shape().rank();
  int64_t stride = 1;
  for (int axis = rank - 1; axis >= 0; --axis) {
    holder->shape[axis] = tensor.shape()[axis];
    holder->strides[axis] = stride;
    stride *= std::max<int64_t>(1, tensor.shape()[axis]);
  }
  dlpack::Tensor& out = holder->managed.dl_tensor;
  out.data = tensor.mutable_data();
  out.device = {dlpack::kCpu, 0};
  out.ndim = rank;
  out.dtype = {type.dlpack_code, static_cast<uint8_t>(type.bytes * 8), 1};
  out.shape = holder->shape.data();
  out.strides = holder->strides.data();
  holder->managed.manager_ctx = holder.get();
  holder->managed.deleter = [](Managed* self) { delete static_cast<Export<Managed>*>(self->manager_ctx); };
  return &holder.release()->managed;
}

Result<TensorSpec> spec_of(const dlpack::Tensor& from) {
  TensorSpec spec;
  FOREBAY_ASSIGN_OR_RETURN(spec.dtype, dtype_of_dlpack(from.dtype.code, from.dtype.bits, from.dtype.lanes));
  if (from.device.device_type != dlpack::kCpu && from.device.device_type != dlpack::kCudaHost) {
    return invalid_argument("a DLPack tensor on device type {} cannot be taken: only CPU memory can",
                            from.device.device_type);
  }
  if (from.ndim < 0 || from.ndim > kMaxRank) {
    return invalid_argument("a DLPack tensor of {} dimensions cannot be taken: at most {} are supported",
                            from.ndim, kMaxRank);
  }
  for (int axis = 0; axis < from.ndim; ++axis) {
    spec.shape.push_back(from.shape[axis]);
  }
  if (!spec.shape.checked_volume()) {
    return invalid_argument("a DLPack tensor has the impossible shape {}", spec.shape.to_string());
  }
  return spec;
}

bool is_dense(const dlpack::Tensor& from, const Shape& shape) {
  if (from.strides == nullptr || shape.volume() == 0) {
    return true;
  }
  int64_t expected = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] != 1 && from.strides[axis] != expected) {
      return false;
    }
    expected *= shape[axis];
  }
  return true;
}

// Copies an axis at a time; the innermost, where it is dense, in one piece.
void gather(const std::byte* from, std::byte* to, const dlpack::Tensor& source, const TensorSpec& spec,
            int axis) {
  const size_t item_bytes = tensor::size_of(spec.dtype);
  if (axis == spec.shape.rank()) {
    memory::copy(to, from, item_bytes);
    return;
  }
  const int64_t inner = spec.shape.volume(axis + 1, spec.shape.rank());
  const bool is_row = axis + 1 == spec.shape.rank() && source.strides[axis] == 1;
  if (is_row) {
    memory::copy(to, from, static_cast<size_t>(spec.shape[axis]) * item_bytes);
    return;
  }
  for (int64_t i = 0; i < spec.shape[axis]; ++i) {
    const int64_t step_bytes = i * source.strides[axis] * static_cast<int64_t>(item_bytes);
    gather(from + step_bytes, to + i * inner * static_cast<int64_t>(item_bytes), source, spec, axis + 1);
  }
}

Result<Tensor> take(const dlpack::Tensor& from, std::function<void()> release) {
  FOREBAY_ASSIGN_OR_RETURN(const TensorSpec spec, spec_of(from));
  auto* data = static_cast<std::byte*>(from.data) + from.byte_offset;
  if (spec.volume() > 0 && from.data == nullptr) {
    return invalid_argument("a DLPack tensor of {} has no data", spec.to_string());
  }
  if (is_dense(from, spec.shape)) {
    return Tensor(
        memory::Buffer::wrap(data, spec.size_bytes(), memory::MemoryKind::kHost, std::move(release)), 0,
        spec);
  }
  FOREBAY_ASSIGN_OR_RETURN(Tensor copied, Tensor::allocate(spec));
  gather(data, static_cast<std::byte*>(copied.mutable_data()), from, spec, 0);
  release();
  return copied;
}

template <class Managed>
std::function<void()> releaser(Managed* managed) {
  return [managed] {
    if (managed->deleter != nullptr) {
      managed->deleter(managed);
    }
  };
}

}  // namespace

Result<dlpack::ManagedTensor*> to_dlpack(const Tensor& tensor) {
  return make_export<dlpack::ManagedTensor>(tensor);
}

Result<dlpack::ManagedTensorVersioned*> to_dlpack_versioned(const Tensor& tensor, bool read_only) {
  FOREBAY_ASSIGN_OR_RETURN(auto* managed, make_export<dlpack::ManagedTensorVersioned>(tensor));
  managed->version = {dlpack::kMajorVersion, dlpack::kMinorVersion};
  managed->flags = read_only ? dlpack::kFlagReadOnly : 0;
  return managed;
}

Result<Tensor> from_dlpack(dlpack::ManagedTensor* managed) {
  return take(managed->dl_tensor, releaser(managed));
}

Result<Tensor> from_dlpack(dlpack::ManagedTensorVersioned* managed) {
  if (managed->version.major != dlpack::kMajorVersion) {
    return failed_precondition("a DLPack tensor of version {}.{} cannot be read: version {} is understood",
                               managed->version.major, managed->version.minor, dlpack::kMajorVersion);
  }
  return take(managed->dl_tensor, releaser(managed));
}

}  // namespace forebay::exchange
