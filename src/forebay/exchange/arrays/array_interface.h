// NumPy's array interface and the CUDA Array Interface, both version 3, as structures; python/bindings turns
// them into dictionaries.
//
// Sources: numpy.org/doc/stable/reference/arrays.interface.html, and the CUDA Array Interface of numba-cuda.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "forebay/base/status.h"
#include "forebay/exchange/arrays/strided_array.h"

namespace forebay::exchange {

inline constexpr int kArrayInterfaceVersion = 3;

struct ArrayInterface {
  int64_t version = kArrayInterfaceVersion;
  std::string typestring;
  Extents shape;
  std::optional<Extents> strides_bytes;  // none: row-major without gaps
  uint64_t pointer = 0;                  // of the element at index 0
  bool is_read_only = false;
  bool has_mask = false;
  std::optional<uint64_t> stream;  // CUDA only; none: the content is ready
};

/// Of an array in host memory, after waiting for its content. failed_precondition for device memory,
/// invalid_argument for element types without a typestring.
Result<ArrayInterface> array_interface_of(const StridedArray& array);

/// Of an array that CUDA can reach (device, managed, pinned): names the stream that is behind the content's
/// last writer, or none. failed_precondition for ordinary host memory.
Result<ArrayInterface> cuda_array_interface_of(const StridedArray& array);

/// The array that `facts` describe, on `device`; `release` is called once, on any thread, when its last owner
/// goes (not when this fails). For a stream, `driver` is whose streams those are. invalid_argument for
/// another version than 1 to 3, a mask, and everything that check_array refuses.
Result<StridedArray> array_of(const ArrayInterface& facts, dlpack::Device device,
                              std::function<void()> release, uint32_t driver = 0);

}  // namespace forebay::exchange
