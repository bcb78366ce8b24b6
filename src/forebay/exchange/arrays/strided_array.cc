#include "forebay/exchange/arrays/strided_array.h"

#include <algorithm>
#include <cstdlib>

#include "forebay/exchange/arrays/element_type.h"
#include "forebay/exchange/arrays/strided_copy.h"
#include "forebay/exchange/devices/cuda_devices.h"
#include "forebay/exchange/devices/streams.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/device_driver.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::exchange {
namespace {

constexpr int64_t kMaxSpan = int64_t{1} << 62;  // bytes

Status check_type(dlpack::DataType type) {
  if (type.code > dlpack::kLastCode || type.bits == 0 || type.lanes == 0) {
    return invalid_argument("elements of code {}, {} bits and {} lanes are unknown", type.code, type.bits,
                            type.lanes);
  }
  return ok_status();
}

Result<int64_t> checked_volume(const Extents& shape) {
  int64_t product = 1;
  for (const int64_t extent : shape) {
    if (extent < 0 || (extent != 0 && product > kMaxSpan / extent)) {
      return invalid_argument("an array of {} dimensions has an impossible extent: {}", shape.size(), extent);
    }
    product *= extent;
  }
  return product;
}

// Checks that the distances to the farthest elements do not overflow.
Status check_distance(const StridedArray& array) {
  int64_t left = kMaxSpan - static_cast<int64_t>(array.item_bytes());
  for (int axis = 0; axis < array.rank(); ++axis) {
    const int64_t stride = array.strides_bytes[axis];
    const int64_t steps = std::max<int64_t>(0, array.shape[axis] - 1);
    if (stride <= -kMaxSpan || stride >= kMaxSpan || (steps != 0 && std::abs(stride) > left / steps)) {
      return invalid_argument("axis {} has the impossible stride {}", axis, stride);
    }
    left -= std::abs(stride) * steps;
  }
  return ok_status();
}

dlpack::Device device_of(memory::MemoryKind kind) {
  switch (kind) {
    case memory::MemoryKind::kDevice:
      return {dlpack::kCuda, 0};
    case memory::MemoryKind::kManaged:
      return {dlpack::kCudaManaged, 0};
    case memory::MemoryKind::kSimulated:
      return {dlpack::kExtension, 0};
    default:
      return {dlpack::kCpu, 0};
  }
}

// The queue for copying: after the work that wrote a device's array. Content that is ready can be copied on
// any queue, if the device is known.
Result<memory::Queue> queue_for_copy(const StridedArray& array) {
  const Fence ready = array.owner->last_write();
  if (ready.driver != memory::kHostDriver) {
    return memory::Queue{ready.driver, ready.queue};
  }
  if (array.device.device_type != dlpack::kCuda) {
    return failed_precondition(
        "an array on device {} can only be copied when the queue that wrote it is known",
        array.device.device_type);
  }
  FOREBAY_ASSIGN_OR_RETURN(const uint32_t driver, cuda_driver(array.device.device_id));
  FOREBAY_ASSIGN_OR_RETURN(const uint32_t queue, queue_of_stream(driver, kLegacyDefaultStream));
  return memory::Queue{driver, queue};
}

}  // namespace

memory::MemoryKind memory_kind_of(dlpack::Device device) {
  switch (device.device_type) {
    case dlpack::kCpu:
      return memory::MemoryKind::kHost;
    case dlpack::kCudaHost:
    case dlpack::kRocmHost:
      return memory::MemoryKind::kPinned;
    case dlpack::kCudaManaged:
      return memory::MemoryKind::kManaged;
    case dlpack::kExtension:
      return memory::MemoryKind::kSimulated;
    default:
      return memory::MemoryKind::kDevice;
  }
}

int64_t StridedArray::volume() const {
  int64_t product = 1;
  for (const int64_t extent : shape) {
    product *= extent;
  }
  return product;
}

size_t StridedArray::item_bytes() const {
  if (record != nullptr) {
    return static_cast<size_t>(record->item_bytes);
  }
  if (is_subbyte_padded && type.bits < 8) {
    return type.lanes;
  }
  return is_packed() ? 0 : size_t{type.bits} * type.lanes / 8;
}

size_t StridedArray::size_bytes() const {
  const auto elements = static_cast<size_t>(volume());
  return is_packed() ? (elements * type.bits * type.lanes + 7) / 8 : elements * item_bytes();
}

bool StridedArray::is_dense() const {
  if (is_packed() || volume() == 0) {
    return true;
  }
  auto expected = static_cast<int64_t>(item_bytes());
  for (int axis = rank() - 1; axis >= 0; --axis) {
    if (shape[axis] != 1 && strides_bytes[axis] != expected) {
      return false;
    }
    expected *= shape[axis];
  }
  return true;
}

bool StridedArray::has_negative_stride() const {
  for (int axis = 0; axis < rank(); ++axis) {
    if (strides_bytes[axis] < 0 && shape[axis] > 1) {
      return true;
    }
  }
  return false;
}

bool StridedArray::is_on_host() const {
  return device.device_type == dlpack::kCpu || device.device_type == dlpack::kCudaHost ||
         device.device_type == dlpack::kRocmHost || device.device_type == dlpack::kCudaManaged;
}

std::string name_of(dlpack::DataType type) {
  static constexpr const char* kNames[] = {"int", "uint", "float", "opaque", "bfloat", "complex"};
  std::string name = type.code == dlpack::kBool       ? "bool"
                     : type.code < std::size(kNames)  ? fmt::format("{}{}", kNames[type.code], type.bits)
                     : type.code <= dlpack::kLastCode ? fmt::format("float{}(code {})", type.bits, type.code)
                                                      : fmt::format("code {}", type.code);
  return type.lanes == 1 ? name : fmt::format("{}x{}", name, type.lanes);
}

std::string element_name(const StridedArray& array) {
  if (array.time) {
    return name_of(*array.time);
  }
  return array.record != nullptr ? "record" : name_of(array.type);
}

Result<StridedArray> member_of(const StridedArray& records, std::string_view name) {
  const RecordMember* const member = records.record == nullptr ? nullptr : records.record->find(name);
  if (member == nullptr) {
    return not_found("elements of {} have no member '{}'", element_name(records), name);
  }
  StridedArray array = records;
  array.record = nullptr;
  array.type = member->type;
  array.data = records.data == nullptr ? nullptr : records.data + member->offset_bytes;
  array.shape.insert(array.shape.end(), member->shape.begin(), member->shape.end());
  array.strides_bytes.insert(array.strides_bytes.end(), member->strides_bytes.begin(),
                             member->strides_bytes.end());
  FOREBAY_RETURN_IF_ERROR(check_array(array));
  return array;
}

ByteSpan span_of(const StridedArray& array) {
  if (array.volume() == 0) {
    return {};
  }
  ByteSpan span{0, static_cast<int64_t>(array.is_packed() ? array.size_bytes() : array.item_bytes())};
  for (int axis = 0; axis < array.rank() && !array.is_packed(); ++axis) {
    const int64_t reach = array.strides_bytes[axis] * (array.shape[axis] - 1);
    (reach < 0 ? span.first : span.last) += reach;
  }
  return span;
}

Status check_array(const StridedArray& array) {
  FOREBAY_RETURN_IF_ERROR(check_type(array.type));
  if (array.rank() > kMaxArrayRank || array.shape.size() != array.strides_bytes.size()) {
    return invalid_argument("an array of {} dimensions is not supported: at most {} are", array.rank(),
                            kMaxArrayRank);
  }
  FOREBAY_ASSIGN_OR_RETURN(const int64_t volume, checked_volume(array.shape));
  const int64_t item_bits =
      array.record != nullptr ? array.record->item_bytes * 8 : int64_t{array.type.bits} * array.type.lanes;
  if (volume > kMaxSpan / item_bits) {
    return invalid_argument("an array of {} elements of {} is larger than any memory", volume,
                            name_of(array.type));
  }
  if (volume > 0 && array.data == nullptr) {
    return invalid_argument("an array of {} elements has no data", volume);
  }
  return array.is_packed() || volume == 0 ? ok_status() : check_distance(array);
}

Extents dense_strides(std::span<const int64_t> shape, int64_t item_bytes) {
  Extents strides(shape.size());
  int64_t stride = item_bytes;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    if (__builtin_mul_overflow(stride, std::max<int64_t>(1, shape[axis]), &stride)) {
      stride = item_bytes;  // only an empty array has such extents
    }
  }
  return strides;
}

Result<StridedArray> array_of(const tensor::Tensor& tensor) {
  FOREBAY_ASSIGN_OR_RETURN(const ElementType element, element_type_of(tensor.dtype()));
  StridedArray array;
  array.owner = tensor.buffer();
  array.data = static_cast<std::byte*>(tensor.mutable_data());
  array.is_read_only = tensor.buffer()->is_read_only();
  array.type = {element.dlpack_code, static_cast<uint8_t>(element.bytes * 8), 1};
  array.device = device_of(tensor.kind());
  array.shape.assign(tensor.shape().begin(), tensor.shape().end());
  array.strides_bytes = dense_strides(tensor.shape().extents(), element.bytes);
  return array;
}

Result<StridedArray> copied(const StridedArray& array, std::shared_ptr<memory::MemoryResource> resource) {
  const size_t bytes = array.size_bytes();
  FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef buffer, memory::Buffer::allocate(bytes, std::move(resource)));
  StridedArray copy = array;
  copy.data = static_cast<std::byte*>(buffer->data());
  copy.owner = std::move(buffer);
  copy.device = {dlpack::kCpu, 0};
  copy.strides_bytes = dense_strides(array.shape, static_cast<int64_t>(array.item_bytes()));
  copy.is_read_only = false;
  copy.is_copied = true;
  if (array.is_on_host()) {
    FOREBAY_RETURN_IF_ERROR(wait_until_readable(array));
    gather(array, copy.data);
    return copy;
  }
  if (!array.is_dense()) {
    return failed_precondition("an array on device {} can only be copied to the host when it is dense",
                               array.device.device_type);
  }
  FOREBAY_ASSIGN_OR_RETURN(const memory::Queue queue, queue_for_copy(array));
  FOREBAY_ASSIGN_OR_RETURN(const Fence done,
                           memory::copy_async(queue.driver, queue.queue, copy.data, array.data, bytes));
  copy.owner->set_last_write(done);  // both stay alive until the copy is done, even if the wait fails
  array.owner->add_reader(done);
  FOREBAY_RETURN_IF_ERROR(memory::wait(done));
  return copy;
}

Result<tensor::Tensor> tensor_of(const StridedArray& array, bool may_copy) {
  if (array.record != nullptr) {
    return invalid_argument("records cannot become a tensor: use their members, or a table of them");
  }
  if (array.time) {
    return invalid_argument("{} is not an element type of tensors: {}", name_of(*array.time),
                            kTimesAsNumbers);
  }
  tensor::TensorSpec spec;
  FOREBAY_ASSIGN_OR_RETURN(spec.dtype, dtype_of_dlpack(array.type.code, array.type.bits, array.type.lanes));
  if (array.rank() > tensor::kMaxRank) {
    return invalid_argument("tensors have at most {} dimensions, this array has {}", tensor::kMaxRank,
                            array.rank());
  }
  spec.shape = tensor::Shape(std::span<const int64_t>(array.shape.data(), array.shape.size()));
  const auto address = reinterpret_cast<uintptr_t>(array.data);
  const bool is_aligned = address % tensor::size_of(spec.dtype) == 0;
  if (array.is_dense() && is_aligned) {
    auto hold = [owner = array.owner]() mutable { owner.reset(); };
    const auto kind = array.owner->kind();
    auto buffer = array.is_read_only
                      ? memory::Buffer::wrap_read_only(array.data, spec.size_bytes(), kind, std::move(hold))
                      : memory::Buffer::wrap(array.data, spec.size_bytes(), kind, std::move(hold));
    buffer->set_last_write(array.owner->last_write());
    return tensor::Tensor(std::move(buffer), 0, spec);
  }
  if (!may_copy) {
    return failed_precondition("an array that is not dense and aligned needs a copy to become a tensor");
  }
  FOREBAY_ASSIGN_OR_RETURN(StridedArray copy, copied(array));
  return tensor::Tensor(std::move(copy.owner), 0, spec);
}

StridedArray as_numbers(const StridedArray& times) {
  StridedArray numbers = times;
  if (numbers.time) {
    numbers.time.reset();
    numbers.type = {dlpack::kInt, 64, 1};
  }
  return numbers;
}

Status take_after_default_stream(const StridedArray& array) {
  if (array.device.device_type != dlpack::kCuda && array.device.device_type != dlpack::kCudaManaged) {
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(const uint32_t driver, cuda_driver(array.device.device_id));
  return take_after_stream(*array.owner, driver, kLegacyDefaultStream);
}

Status wait_until_readable(const StridedArray& array) {
  const Fence ready = array.owner ? array.owner->last_write() : Fence{};
  return ready.is_trivial() ? ok_status() : memory::wait(ready);
}

}  // namespace forebay::exchange
