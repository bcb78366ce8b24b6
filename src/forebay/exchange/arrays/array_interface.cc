#include "forebay/exchange/arrays/array_interface.h"

#include "forebay/exchange/arrays/array_type.h"
#include "forebay/exchange/devices/streams.h"

namespace forebay::exchange {
namespace {

Result<ArrayInterface> facts_of(const StridedArray& array) {
  ArrayInterface facts;
  if (array.time) {
    facts.typestring = typestring_of(*array.time);
  } else {
    FOREBAY_ASSIGN_OR_RETURN(facts.typestring, typestring_of(array.type));
  }
  facts.shape = array.shape;
  if (!array.is_dense()) {
    facts.strides_bytes = array.strides_bytes;
  }
  facts.pointer = reinterpret_cast<uintptr_t>(array.data);
  facts.is_read_only = array.is_read_only;
  return facts;
}

bool is_reached_by_cuda(const StridedArray& array) {
  return array.device.device_type == dlpack::kCuda || array.device.device_type == dlpack::kCudaManaged ||
         array.device.device_type == dlpack::kCudaHost ||
         (array.owner != nullptr && array.owner->kind() == memory::MemoryKind::kPinned);
}

}  // namespace

Result<ArrayInterface> array_interface_of(const StridedArray& array) {
  if (!array.is_on_host()) {
    return failed_precondition("an array on device ({}, {}) has no array interface", array.device.device_type,
                               array.device.device_id);
  }
  FOREBAY_RETURN_IF_ERROR(wait_until_readable(array));
  return facts_of(array);
}

Result<ArrayInterface> cuda_array_interface_of(const StridedArray& array) {
  if (!is_reached_by_cuda(array)) {
    return failed_precondition("an array in host memory has no CUDA array interface");
  }
  FOREBAY_ASSIGN_OR_RETURN(ArrayInterface facts, facts_of(array));
  FOREBAY_ASSIGN_OR_RETURN(facts.stream, stream_of_content(*array.owner));
  if (array.volume() == 0) {
    facts.pointer = 0;
  }
  return facts;
}

Result<StridedArray> array_of(const ArrayInterface& facts, dlpack::Device device,
                              std::function<void()> release, uint32_t driver) {
  if (facts.version < 1 || facts.version > kArrayInterfaceVersion) {
    return invalid_argument("an array interface of version {} cannot be read, only {}", facts.version,
                            kArrayInterfaceVersion);
  }
  if (facts.has_mask) {
    return invalid_argument("masked arrays are not supported");
  }
  if (facts.stream == uint64_t{0}) {
    return invalid_argument("0 is not a stream: 1 is the legacy default stream, 2 that of the thread");
  }
  StridedArray array;
  array.time = time_type_of(facts.typestring);
  array.type = kTimeElement;
  if (!array.time) {
    FOREBAY_ASSIGN_OR_RETURN(array.type, type_of_typestring(facts.typestring));
  }
  array.device = device;
  array.data = reinterpret_cast<std::byte*>(facts.pointer);
  array.is_read_only = facts.is_read_only;
  array.shape = facts.shape;
  array.strides_bytes = facts.strides_bytes.value_or(Extents(facts.shape.size()));
  FOREBAY_RETURN_IF_ERROR(check_array(array));
  if (!facts.strides_bytes) {
    array.strides_bytes = dense_strides(array.shape, static_cast<int64_t>(array.item_bytes()));
  }
  const ByteSpan span = span_of(array);
  std::byte* first = array.data == nullptr ? nullptr : array.data + span.first;
  array.owner =
      memory::Buffer::wrap(first, static_cast<size_t>(span.last - span.first), memory_kind_of(device), {});
  if (facts.stream) {
    FOREBAY_RETURN_IF_ERROR(take_after_stream(*array.owner, driver, *facts.stream));
  }
  const Fence ready = array.owner->last_write();
  array.owner = memory::Buffer::wrap(first, static_cast<size_t>(span.last - span.first),
                                     memory_kind_of(device), std::move(release));
  array.owner->set_last_write(ready);
  return array;
}

}  // namespace forebay::exchange
