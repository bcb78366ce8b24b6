// DLPack's structures as laid out in memory (specification: dmlc.github.io/dlpack, versions 0.8 and 1.3).
// Frameworks share this ABI; field names are the specification's.
#pragma once

#include <cstdint>

namespace forebay::exchange::dlpack {

inline constexpr int32_t kCpu = 1;
inline constexpr int32_t kCuda = 2;
inline constexpr int32_t kCudaHost = 3;
inline constexpr int32_t kRocmHost = 11;
inline constexpr int32_t kExtension = 12;  // used here for the simulated device
inline constexpr int32_t kCudaManaged = 13;

inline constexpr uint8_t kInt = 0;
inline constexpr uint8_t kUInt = 1;
inline constexpr uint8_t kFloat = 2;
inline constexpr uint8_t kOpaque = 3;
inline constexpr uint8_t kBfloat = 4;
inline constexpr uint8_t kComplex = 5;
inline constexpr uint8_t kBool = 6;
inline constexpr uint8_t kLastCode = 17;  // 7 to 14: float8 variants, 15 and 16: float6, 17: float4

inline constexpr uint32_t kMajorVersion = 1;
inline constexpr uint32_t kMinorVersion = 3;
inline constexpr uint64_t kFlagReadOnly = 1;
inline constexpr uint64_t kFlagIsCopied = 2;         // nobody but the consumer sees the memory
inline constexpr uint64_t kFlagIsSubbytePadded = 4;  // elements of less than 8 bits take one byte each

struct Device {
  int32_t device_type;
  int32_t device_id;

  friend bool operator==(const Device&, const Device&) = default;
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;

  friend bool operator==(const DataType&, const DataType&) = default;
};

struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null (before 1.2): dense, row-major
  uint64_t byte_offset;
};

/// Capsule "dltensor".
struct ManagedTensor {
  Tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(ManagedTensor* self);  // may be null
};

struct Version {
  uint32_t major;
  uint32_t minor;
};

/// Capsule "dltensor_versioned". If the major version differs, only `deleter` may be used.
struct ManagedTensorVersioned {
  Version version;
  void* manager_ctx;
  void (*deleter)(ManagedTensorVersioned* self);  // may be null
  uint64_t flags;
  Tensor dl_tensor;
};

/// Capsule "dlpack_exchange_api", attribute `__dlpack_c_exchange_api__` of a type. Lives as long as the
/// process.
struct ExchangeApiHeader {
  Version version;
  ExchangeApiHeader* prev_api;  // an older one, or null
};

/// Functions return 0, or -1 with a Python error set (the allocator sets it through `set_error`). Called with
/// the GIL held.
struct ExchangeApi {
  ExchangeApiHeader header;
  int (*managed_tensor_allocator)(Tensor* prototype, ManagedTensorVersioned** out, void* error_context,
                                  void (*set_error)(void* error_context, const char* kind,
                                                    const char* message));
  int (*managed_tensor_from_py_object_no_sync)(void* object, ManagedTensorVersioned** out);
  // Takes ownership of the tensor.
  int (*managed_tensor_to_py_object_no_sync)(ManagedTensorVersioned* tensor, void** out_object);
  int (*dltensor_from_py_object_no_sync)(void* object, Tensor* out);  // may be null; borrows
  int (*current_work_stream)(int32_t device_type, int32_t device_id, void** out_stream);
};

}  // namespace forebay::exchange::dlpack
