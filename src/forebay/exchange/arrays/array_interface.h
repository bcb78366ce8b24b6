// NumPy's array interface and the CUDA Array Interface, both version 3, as structures; python/bindings
// converts them to dictionaries.
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
  std::optional<Extents> strides_bytes;  // nullopt: row-major and dense
  uint64_t pointer = 0;                  // of the element at index 0
  bool is_read_only = false;
  bool has_mask = false;
  std::optional<uint64_t> stream;  // CUDA only; nullopt: the content is ready
};

/// Describes an array in host memory, after blocking until its content is ready. failed_precondition for
/// device memory, invalid_argument for element types without a typestring.
Result<ArrayInterface> array_interface_of(const StridedArray& array);

/// Describes an array that CUDA can access (device, managed, pinned), with the stream that the content's last
/// writer is on, or none. failed_precondition for ordinary host memory.
Result<ArrayInterface> cuda_array_interface_of(const StridedArray& array);

/// Makes the array that `facts` describe, on `device`. `release` is called once, on any thread, when the
/// array's last owner drops it (but not if this function fails). If there is a stream, `driver` is the driver
/// it belongs to. invalid_argument for versions other than 1 to 3, for a mask, and for everything that
/// check_array refuses.
Result<StridedArray> array_of(const ArrayInterface& facts, dlpack::Device device,
                              std::function<void()> release, uint32_t driver = 0);

}  // namespace forebay::exchange
