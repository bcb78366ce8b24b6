// An array as any framework stores it: any element type that DLPack can name, any strides, any device,
// read-only or not. Every protocol is converted to and from this form. It shares the memory.
//
// A tensor::Tensor is more restricted: dense, row-major, with one of Forebay's element types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/exchange/arrays/dlpack_abi.h"
#include "forebay/exchange/arrays/extents.h"
#include "forebay/exchange/arrays/record_type.h"
#include "forebay/exchange/arrays/time_type.h"
#include "forebay/memory/buffer.h"
#include "forebay/tensor/tensor.h"

namespace forebay::exchange {

inline constexpr int kMaxArrayRank = 64;  // NumPy's limit

/// The element type of records; their RecordType has the details.
inline constexpr dlpack::DataType kRecordElement{dlpack::kOpaque, 8, 1};

struct StridedArray {
  memory::BufferRef owner;  // keeps the memory alive; its fences say when the content is ready
  // The element at index 0, which with negative strides may be anywhere in the memory.
  std::byte* data = nullptr;
  dlpack::DataType type{};
  dlpack::Device device{dlpack::kCpu, 0};
  Extents shape;
  Extents strides_bytes;  // as long as `shape`; may be negative, zero, or not a multiple of the element size
  bool is_read_only = false;
  bool is_copied = false;          // nobody else sees the memory
  bool is_subbyte_padded = false;  // elements of less than 8 bits take one byte each
  RecordTypeRef record;            // for records, whose `type` is kRecordElement; else null
  std::optional<TimeType> time;    // for times, whose `type` is kTimeElement; else nullopt

  int rank() const { return static_cast<int>(shape.size()); }
  int64_t volume() const;
  /// Whether elements share bytes with their neighbours; such an array is dense and has no strides of its
  /// own.
  bool is_packed() const { return !is_subbyte_padded && type.bits * type.lanes % 8 != 0; }
  size_t item_bytes() const;  // 0 if packed
  size_t size_bytes() const;  // of the elements, without gaps
  /// Whether it is row-major without gaps; strides of axes of extent 1 do not matter.
  bool is_dense() const;
  bool has_negative_stride() const;
  bool is_on_host() const;
  /// False for records and times, which DLPack and tensors do not have.
  bool is_of_numbers() const { return record == nullptr && !time; }
};

/// What kind of memory DLPack's device has; of a type unknown here: a device's own.
memory::MemoryKind memory_kind_of(dlpack::Device device);

/// "float32", "bfloat16", "complex64", "uint8x4", ...
std::string name_of(dlpack::DataType type);
/// The name_of its type; "record" for records, "datetime64[ns]" and the like for times.
std::string element_name(const StridedArray& array);

/// A member of every record, over the same memory, with the records' extents followed by the member's own.
/// not_found if there is no such member, invalid_argument for more than kMaxArrayRank dimensions.
Result<StridedArray> member_of(const StridedArray& records, std::string_view name);

/// The range of bytes that the elements of a checked array span, relative to `data`: [first, last).
struct ByteSpan {
  int64_t first = 0;
  int64_t last = 0;
};
ByteSpan span_of(const StridedArray& array);

/// Checks what must hold before anything else looks at an array from outside: rank, extents and strides
/// within limits (no product or sum overflows), a known element type, a pointer if there are elements.
/// invalid_argument.
Status check_array(const StridedArray& array);

/// An array over the tensor's memory, read-only where the buffer is. Pinned memory counts as host memory
/// here, managed memory as managed, the simulated device as DLPack's extension device. invalid_argument
/// without an element type.
Result<StridedArray> array_of(const tensor::Tensor& tensor);

/// Makes a dense row-major copy in host memory (counted), after waiting for the content. Device memory must
/// be dense: otherwise failed_precondition.
Result<StridedArray> copied(const StridedArray& array,
                            std::shared_ptr<memory::MemoryResource> resource = memory::host_pool());

/// A tensor over the same memory; that of a read-only array has a read-only buffer. An array that is not
/// dense is copied (counted) if `may_copy`, else failed_precondition. invalid_argument for element types
/// (including records and times) and ranks that tensors do not have.
Result<tensor::Tensor> tensor_of(const StridedArray& array, bool may_copy);

/// Reinterprets times as int64 over the same memory; returns anything else unchanged.
StridedArray as_numbers(const StridedArray& times);

/// For an array that DLPack brought from a GPU: its producer has made the legacy default stream wait for the
/// content, so the array is ready once everything now on that stream has passed. Arrays elsewhere are left
/// alone. Errors are those of cuda_driver()
/// (devices/cuda_devices.h).
Status take_after_default_stream(const StridedArray& array);

/// Blocks until the host may read the memory.
Status wait_until_readable(const StridedArray& array);

}  // namespace forebay::exchange
