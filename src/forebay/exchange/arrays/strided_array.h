// An array of any framework as its memory lies there: any element type that DLPack can name, any strides, any
// device, read-only or not. Every protocol is read into one and written from one. It shares the memory.
//
// A tensor::Tensor is the narrower thing: dense, row-major, of one of Forebay's element types.
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
#include "forebay/exchange/arrow/time_type.h"
#include "forebay/memory/buffer.h"
#include "forebay/tensor/tensor.h"

namespace forebay::exchange {

inline constexpr int kMaxArrayRank = 64;  // NumPy's

/// What the element type of records is called; their record type says what they are.
inline constexpr dlpack::DataType kRecordElement{dlpack::kOpaque, 8, 1};

struct StridedArray {
  memory::BufferRef owner;    // keeps the memory alive; its fences say when the content is ready
  std::byte* data = nullptr;  // the element at index 0, which negative strides may put anywhere in the memory
  dlpack::DataType type{};
  dlpack::Device device{dlpack::kCpu, 0};
  Extents shape;
  Extents strides_bytes;  // as long as `shape`; may be negative, zero, and no multiple of the element
  bool is_read_only = false;
  bool is_copied = false;          // nobody else sees the memory
  bool is_subbyte_padded = false;  // elements of less than 8 bits take a byte each
  RecordTypeRef record;            // of records, whose `type` is kRecordElement; else null
  std::optional<TimeType> time;    // of times, whose `type` is kTimeElement; else none

  int rank() const { return static_cast<int>(shape.size()); }
  int64_t volume() const;
  /// True for elements that share bytes with their neighbours; such an array is dense and has no strides of
  /// its own.
  bool is_packed() const { return !is_subbyte_padded && type.bits * type.lanes % 8 != 0; }
  size_t item_bytes() const;  // 0 when packed
  size_t size_bytes() const;  // of the elements, without gaps
  /// Row-major without gaps; strides of axes of extent 1 do not matter.
  bool is_dense() const;
  bool has_negative_stride() const;
  bool is_on_host() const;
  /// False for records and times, which DLPack and tensors do not know.
  bool is_of_numbers() const { return record == nullptr && !time; }
};

/// What kind of memory DLPack's device has; of a type unknown here: a device's own.
memory::MemoryKind memory_kind_of(dlpack::Device device);

/// "float32", "bfloat16", "complex64", "uint8x4", ...
std::string name_of(dlpack::DataType type);
/// As name_of its type; "record" for records, "datetime64[ns]" and its like for times.
std::string element_name(const StridedArray& array);

/// A member of every record, over the same memory: the records' extents, then the member's own. not_found
/// when the array has no such member, invalid_argument for more than kMaxArrayRank dimensions.
Result<StridedArray> member_of(const StridedArray& records, std::string_view name);

/// The bytes that the elements span, relative to `data`: [first, last). Of a checked array.
struct ByteSpan {
  int64_t first = 0;
  int64_t last = 0;
};
ByteSpan span_of(const StridedArray& array);

/// What must hold before anything else looks at an array that came from outside: rank, extents and strides
/// within limits (no product or sum overflows), a known element type, a pointer where there are elements.
/// invalid_argument.
Status check_array(const StridedArray& array);

/// The tensor's memory. Pinned memory is host memory here, managed memory is managed, the simulated device is
/// DLPack's extension device. invalid_argument without an element type.
Result<StridedArray> array_of(const tensor::Tensor& tensor);

/// A dense row-major copy in host memory (counted), after waiting for the content. Device memory only when it
/// is dense: failed_precondition otherwise.
Result<StridedArray> copied(const StridedArray& array,
                            std::shared_ptr<memory::MemoryResource> resource = memory::host_pool());

/// The array as a tensor over the same memory; what is not dense is copied (counted) if `may_copy`, else
/// failed_precondition. invalid_argument for element types (records and times too) and ranks that a tensor
/// has not.
/// Read-only is not kept: tensors do not know it.
Result<tensor::Tensor> tensor_of(const StridedArray& array, bool may_copy);

/// Times as the int64 that they are, over the same memory; anything else as it is.
StridedArray as_numbers(const StridedArray& times);

/// Blocks until the host may read the memory.
Status wait_until_readable(const StridedArray& array);

}  // namespace forebay::exchange
