#include "forebay/exchange/arrays/dlpack.h"

#include <algorithm>
#include <memory>
#include <new>

#include "forebay/exchange/arrays/element_type.h"
#include "forebay/exchange/devices/streams.h"
#include "forebay/memory/copy.h"

namespace forebay::exchange {
namespace {

using tensor::Tensor;

// What an exported structure keeps alive. Shape and strides follow it in the same allocation.
template <class Managed>
struct Export {
  Managed managed{};
  memory::BufferRef owner;
  Fence consumer;  // trivial: nothing to order when the consumer releases it

  int64_t* extents() { return reinterpret_cast<int64_t*>(this + 1); }

  static Export* make(memory::BufferRef owner, int rank) {
    const size_t bytes = sizeof(Export) + 2 * static_cast<size_t>(rank) * sizeof(int64_t);
    auto* made = new (::operator new(bytes)) Export;
    made->owner = std::move(owner);
    made->managed.manager_ctx = made;
    made->managed.deleter = &drop;
    made->managed.dl_tensor.ndim = rank;
    made->managed.dl_tensor.shape = made->extents();
    made->managed.dl_tensor.strides = made->extents() + rank;
    return made;
  }

  static void drop(Managed* managed) {
    auto* self = static_cast<Export*>(managed->manager_ctx);
    if (!self->consumer.is_trivial()) {
      end_of_use(*self->owner, self->consumer);
    }
    self->~Export();
    ::operator delete(self);
  }
};

// In elements. Strides of axes with a single index are written as if the array were dense.
Status write_strides(const StridedArray& array, int64_t* shape, int64_t* strides) {
  int64_t inner = 1;
  const auto item_bytes = static_cast<int64_t>(array.item_bytes());
  const bool is_dense = array.is_dense();
  for (int axis = array.rank() - 1; axis >= 0; --axis) {
    shape[axis] = array.shape[axis];
    const bool keeps = !is_dense && array.shape[axis] > 1;
    if (keeps && array.strides_bytes[axis] % item_bytes != 0) {
      return failed_precondition("strides of {} bytes are not a multiple of the element size, {}",
                                 array.strides_bytes[axis], item_bytes);
    }
    strides[axis] = keeps ? array.strides_bytes[axis] / item_bytes : inner;
    const int64_t next = keeps ? strides[axis] : inner;
    if (__builtin_mul_overflow(next, std::max<int64_t>(1, shape[axis]), &inner)) {
      inner = 1;
    }
  }
  return ok_status();
}

// Why the memory itself cannot be exported; null if it can.
const char* reason_to_copy(const StridedArray& array) {
  if (array.has_negative_stride()) {
    return "it has negative strides";
  }
  const auto item_bytes = static_cast<int64_t>(array.item_bytes());
  for (int axis = 0; axis < array.rank() && !array.is_dense(); ++axis) {
    if (array.shape[axis] > 1 && array.strides_bytes[axis] % item_bytes != 0) {
      return "its strides are not multiples of the element size";
    }
  }
  return nullptr;
}

bool is_host_code(int32_t device_type) {
  return device_type == dlpack::kCpu || device_type == dlpack::kCudaHost || device_type == dlpack::kRocmHost;
}

// The array to export: `array` itself, or a copy.
Result<StridedArray> prepared(const StridedArray& array, const DlpackRequest& request) {
  const dlpack::Device own = dlpack_device(array);
  const dlpack::Device asked = request.device.value_or(own);
  const bool reaches_host = is_host_code(asked.device_type) && asked.device_id == 0;
  if (!(asked == own) && !reaches_host) {
    return failed_precondition("memory on device ({}, {}) cannot be handed over on device ({}, {})",
                               own.device_type, own.device_id, asked.device_type, asked.device_id);
  }
  const char* reason = reason_to_copy(array);
  if (!(asked == own) && !array.is_on_host()) {
    reason = "it lies on a device";
  }
  if (request.copy == false && reason != nullptr) {
    return failed_precondition("the array cannot be handed over without a copy: {}", reason);
  }
  const bool to_host = is_host_code(asked.device_type);
  if (request.copy == true || reason != nullptr) {
    if (!to_host) {
      return failed_precondition("arrays on device ({}, {}) are not copied there: ask for one on the host",
                                 own.device_type, own.device_id);
    }
    return copied(array);
  }
  if (to_host) {
    FOREBAY_RETURN_IF_ERROR(wait_until_readable(array));
  }
  StridedArray shared = array;
  if (to_host) {
    shared.device = {dlpack::kCpu, 0};
  }
  return shared;
}

Status read_only_without_version() {
  return failed_precondition(
      "read-only memory cannot be handed over without a version: the consumer would not know; ask with "
      "max_version=(1, 0) or for a copy");
}

uint64_t flags_of(const StridedArray& array) {
  return (array.is_read_only ? dlpack::kFlagReadOnly : 0) | (array.is_copied ? dlpack::kFlagIsCopied : 0) |
         (array.is_subbyte_padded ? dlpack::kFlagIsSubbytePadded : 0);
}

// Exports `ready` as it is; `consumer` reads it.
template <class Managed>
Result<Managed*> hand_out(const StridedArray& ready, std::optional<Fence> consumer) {
  auto* made = Export<Managed>::make(ready.owner, ready.rank());
  dlpack::Tensor& out = made->managed.dl_tensor;
  const Status strides = write_strides(ready, out.shape, out.strides);
  if (!strides.ok()) {
    made->managed.deleter(&made->managed);
    return strides;
  }
  made->consumer = consumer.value_or(Fence{});
  out.data = ready.volume() == 0 ? nullptr : ready.data;
  out.device = dlpack_device(ready);
  out.dtype = ready.type;
  if constexpr (std::is_same_v<Managed, dlpack::ManagedTensorVersioned>) {
    made->managed.version = {dlpack::kMajorVersion, dlpack::kMinorVersion};
    made->managed.flags = flags_of(ready);
  }
  return &made->managed;
}

bool is_plain(const StridedArray& array) {
  return array.is_of_numbers() && is_host_code(array.device.device_type) &&
         array.owner->last_write().is_trivial() && array.is_dense();
}

// Exports a plain array: nothing is requested, nothing can fail.
template <class Managed>
Managed* hand_out_plain(const StridedArray& array) {
  const int rank = array.rank();
  auto* made = Export<Managed>::make(array.owner, rank);
  dlpack::Tensor& out = made->managed.dl_tensor;
  int64_t stride = 1;
  int64_t volume = 1;
  for (int axis = rank - 1; axis >= 0; --axis) {
    const int64_t extent = array.shape[axis];
    out.shape[axis] = extent;
    out.strides[axis] = stride;
    volume *= extent;
    if (__builtin_mul_overflow(stride, std::max<int64_t>(1, extent), &stride)) {
      stride = 1;  // only an empty array has such extents
    }
  }
  out.data = volume == 0 ? nullptr : array.data;
  out.device = {dlpack::kCpu, 0};
  out.dtype = array.type;
  return &made->managed;
}

template <class Managed>
Result<Managed*> export_array(const StridedArray& array, const DlpackRequest& request) {
  if (!array.is_of_numbers()) [[unlikely]] {
    return array.time ? failed_precondition("DLPack has no {}: {}", name_of(*array.time), kTimesAsNumbers)
                      : failed_precondition("DLPack has no records: hand over their members");
  }
  const bool is_host = is_host_code(dlpack_device(array).device_type);
  if (is_host && request.stream) {
    return failed_precondition("memory of the host has no stream: {} was given", *request.stream);
  }
  if (is_host && !request.device && is_immediate(array, request)) {
    return hand_out<Managed>(array, std::nullopt);
  }
  FOREBAY_ASSIGN_OR_RETURN(const StridedArray ready, prepared(array, request));
  std::optional<Fence> consumer;
  if (!is_host_code(dlpack_device(ready).device_type)) {
    FOREBAY_ASSIGN_OR_RETURN(consumer, order_consumer(*ready.owner, request.stream));
  }
  return hand_out<Managed>(ready, consumer);
}

template <class Managed>
Result<Managed*> export_tensor(const Tensor& tensor) {
  FOREBAY_ASSIGN_OR_RETURN(const ElementType type, element_type_of(tensor.dtype()));
  if (!memory::is_host_accessible(tensor.kind())) {
    return invalid_argument("a tensor in {} memory cannot be exported to the CPU",
                            memory::name_of(tensor.kind()));
  }
  const int rank = tensor.shape().rank();
  auto* made = Export<Managed>::make(tensor.buffer(), rank);
  dlpack::Tensor& out = made->managed.dl_tensor;
  int64_t stride = 1;
  for (int axis = rank - 1; axis >= 0; --axis) {
    out.shape[axis] = tensor.shape()[axis];
    out.strides[axis] = stride;
    stride *= std::max<int64_t>(1, tensor.shape()[axis]);
  }
  out.data = tensor.volume() == 0 ? nullptr : tensor.mutable_data();
  out.device = {dlpack::kCpu, 0};
  out.dtype = {type.dlpack_code, static_cast<uint8_t>(type.bytes * 8), 1};
  return &made->managed;
}

// Everything in `from` except the owner, checked.
Result<StridedArray> described(const dlpack::Tensor& from, uint64_t flags) {
  if (from.ndim < 0 || from.ndim > kMaxArrayRank) {
    return invalid_argument("a DLPack tensor of {} dimensions is not supported: at most {} are", from.ndim,
                            kMaxArrayRank);
  }
  if (from.ndim > 0 && from.shape == nullptr) {
    return invalid_argument("a DLPack tensor of {} dimensions has no shape", from.ndim);
  }
  StridedArray array;
  array.type = from.dtype;
  array.device = from.device;
  array.is_read_only = (flags & dlpack::kFlagReadOnly) != 0;
  array.is_copied = (flags & dlpack::kFlagIsCopied) != 0;
  array.is_subbyte_padded = (flags & dlpack::kFlagIsSubbytePadded) != 0;
  array.shape.assign(from.shape, from.shape + from.ndim);
  array.strides_bytes.resize(array.shape.size());
  array.data = from.data == nullptr ? nullptr : static_cast<std::byte*>(from.data) + from.byte_offset;
  FOREBAY_RETURN_IF_ERROR(check_array(array));
  const auto item_bytes = static_cast<int64_t>(array.item_bytes());
  array.strides_bytes = dense_strides(array.shape, item_bytes);
  if (from.strides == nullptr || array.volume() == 0) {
    return array;
  }
  int64_t expected = 1;
  for (int axis = from.ndim - 1; axis >= 0; --axis) {
    const bool matters = array.shape[axis] > 1;
    if (matters && array.is_packed() && from.strides[axis] != expected) {
      return invalid_argument("packed elements of {} bits are only supported in dense arrays",
                              array.type.bits);
    }
    if (matters && __builtin_mul_overflow(from.strides[axis], item_bytes, &array.strides_bytes[axis])) {
      return invalid_argument("axis {} has the impossible stride {}", axis, from.strides[axis]);
    }
    expected *= array.shape[axis];
  }
  FOREBAY_RETURN_IF_ERROR(check_array(array));
  return array;
}

template <class Managed>
Result<StridedArray> take(Managed* managed, uint64_t flags) {
  FOREBAY_ASSIGN_OR_RETURN(StridedArray array, described(managed->dl_tensor, flags));
  const ByteSpan span = span_of(array);
  auto release = [managed] {
    if (managed->deleter != nullptr) {
      managed->deleter(managed);
    }
  };
  array.owner = memory::Buffer::wrap(array.data == nullptr ? nullptr : array.data + span.first,
                                     static_cast<size_t>(span.last - span.first),
                                     memory_kind_of(array.device), release);
  return array;
}

Status check_version(const dlpack::ManagedTensorVersioned& managed) {
  if (managed.version.major != dlpack::kMajorVersion) {
    return failed_precondition("a DLPack tensor of version {}.{} cannot be read, only version {}",
                               managed.version.major, managed.version.minor, dlpack::kMajorVersion);
  }
  return ok_status();
}

// A tensor over what `managed` holds; everything is checked before ownership is taken.
template <class Managed>
Result<Tensor> take_tensor(Managed* managed, uint64_t flags) {
  FOREBAY_ASSIGN_OR_RETURN(const StridedArray seen, described(managed->dl_tensor, flags));
  if (!seen.is_on_host()) {
    return invalid_argument("a DLPack tensor on device type {} cannot be used: only CPU memory can",
                            seen.device.device_type);
  }
  if (seen.rank() > tensor::kMaxRank) {
    return invalid_argument("tensors have at most {} dimensions, this one has {}", tensor::kMaxRank,
                            seen.rank());
  }
  FOREBAY_RETURN_IF_ERROR(dtype_of_dlpack(seen.type.code, seen.type.bits, seen.type.lanes).status());
  FOREBAY_ASSIGN_OR_RETURN(const StridedArray array, take(managed, flags));
  return tensor_of(array, true);
}

}  // namespace

dlpack::Device dlpack_device(const StridedArray& array) {
  return is_host_code(array.device.device_type) ? dlpack::Device{dlpack::kCpu, 0} : array.device;
}

dlpack::ManagedTensor* share_plain(const StridedArray& array) {
  const bool can_say_all = !array.is_read_only && !array.is_subbyte_padded;
  return can_say_all && is_plain(array) ? hand_out_plain<dlpack::ManagedTensor>(array) : nullptr;
}

dlpack::ManagedTensorVersioned* share_plain_versioned(const StridedArray& array) {
  if (!is_plain(array)) {
    return nullptr;
  }
  auto* const managed = hand_out_plain<dlpack::ManagedTensorVersioned>(array);
  managed->version = {dlpack::kMajorVersion, dlpack::kMinorVersion};
  managed->flags = flags_of(array);
  return managed;
}

bool is_immediate(const StridedArray& array, const DlpackRequest& request) {
  return request.copy != true && array.is_on_host() && array.owner->last_write().is_trivial() &&
         reason_to_copy(array) == nullptr;
}

Result<dlpack::ManagedTensor*> to_dlpack(const StridedArray& array, const DlpackRequest& request,
                                         bool may_expose_read_only) {
  const bool stays_read_only = array.is_read_only && request.copy != true && reason_to_copy(array) == nullptr;
  if (stays_read_only && !may_expose_read_only) {
    return read_only_without_version();
  }
  if (array.is_subbyte_padded) {
    return failed_precondition("padded elements of {} bits need a versioned structure", array.type.bits);
  }
  return export_array<dlpack::ManagedTensor>(array, request);
}

Result<dlpack::ManagedTensorVersioned*> to_dlpack_versioned(const StridedArray& array,
                                                            const DlpackRequest& request) {
  return export_array<dlpack::ManagedTensorVersioned>(array, request);
}

Result<dlpack::ManagedTensor*> to_dlpack(const Tensor& tensor) {
  if (tensor.buffer()->is_read_only() && tensor.size_bytes() > 0) {
    return read_only_without_version();
  }
  return export_tensor<dlpack::ManagedTensor>(tensor);
}

Result<dlpack::ManagedTensorVersioned*> to_dlpack_versioned(const Tensor& tensor) {
  FOREBAY_ASSIGN_OR_RETURN(auto* managed, export_tensor<dlpack::ManagedTensorVersioned>(tensor));
  managed->version = {dlpack::kMajorVersion, dlpack::kMinorVersion};
  managed->flags = tensor.buffer()->is_read_only() ? dlpack::kFlagReadOnly : 0;
  return managed;
}

Result<dlpack::ManagedTensorVersioned*> allocate_dlpack(const dlpack::Tensor& prototype) {
  dlpack::Tensor empty = prototype;
  empty.data = &empty;  // only its type and extents are read
  empty.strides = nullptr;
  empty.byte_offset = 0;
  FOREBAY_ASSIGN_OR_RETURN(StridedArray array, described(empty, 0));
  if (!array.is_on_host()) {
    return failed_precondition("memory on device type {} is not allocated here", array.device.device_type);
  }
  FOREBAY_ASSIGN_OR_RETURN(array.owner, memory::Buffer::allocate(array.size_bytes()));
  array.data = static_cast<std::byte*>(array.owner->data());
  array.device = {dlpack::kCpu, 0};
  array.is_copied = true;
  return to_dlpack_versioned(array);
}

Result<StridedArray> array_from_dlpack(dlpack::ManagedTensor* managed) {
  return take(managed, 0);
}

Result<StridedArray> array_from_dlpack(dlpack::ManagedTensorVersioned* managed) {
  FOREBAY_RETURN_IF_ERROR(check_version(*managed));
  return take(managed, managed->flags);
}

Result<Tensor> from_dlpack(dlpack::ManagedTensor* managed) {
  return take_tensor(managed, 0);
}

Result<Tensor> from_dlpack(dlpack::ManagedTensorVersioned* managed) {
  FOREBAY_RETURN_IF_ERROR(check_version(*managed));
  return take_tensor(managed, managed->flags);
}

}  // namespace forebay::exchange
