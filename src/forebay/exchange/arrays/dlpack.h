// Arrays and tensors across DLPack. Exporting shares the memory: the structure keeps it alive until its
// deleter is called, once, on any thread, with or without an interpreter. Importing shares it too.
//
// Exported structures follow version 1.3 of the specification, within what consumers can handle: strides are
// always present, `byte_offset` is 0 and the pointer is the first element's, an empty tensor has a null
// pointer, pinned memory is exported as CPU memory (some frameworks refuse the other code), and negative
// strides are never exported (they crash some frameworks).
#pragma once

#include <cstdint>
#include <optional>

#include "forebay/base/status.h"
#include "forebay/exchange/arrays/dlpack_abi.h"
#include "forebay/exchange/arrays/strided_array.h"
#include "forebay/tensor/tensor.h"

namespace forebay::exchange {

/// What a consumer asks for, in the terms of `__dlpack__`.
struct DlpackRequest {
  std::optional<int64_t> stream;
  std::optional<dlpack::Device> device;  // nullopt: where the memory is
  std::optional<bool> copy;              // nullopt: only if necessary
};

/// The device as DLPack names it.
dlpack::Device dlpack_device(const StridedArray& array);

/// A fast path for the usual case: a dense array in host memory that is ready, with no special request.
/// Returns null in all other cases; to_dlpack() and to_dlpack_versioned() handle those.
dlpack::ManagedTensor* share_plain(const StridedArray& array);
dlpack::ManagedTensorVersioned* share_plain_versioned(const StridedArray& array);

/// Whether the export neither blocks nor copies.
bool is_immediate(const StridedArray& array, const DlpackRequest& request);

/// failed_precondition, with the reason, if the array cannot be exported as requested. `may_expose_read_only`
/// allows the unversioned structure, which has no read-only flag, to carry read-only memory to a consumer
/// that does not write. Copies are counted.
Result<dlpack::ManagedTensor*> to_dlpack(const StridedArray& array, const DlpackRequest& request = {},
                                         bool may_expose_read_only = false);
Result<dlpack::ManagedTensorVersioned*> to_dlpack_versioned(const StridedArray& array,
                                                            const DlpackRequest& request = {});

/// The same for tensors, with a single allocation. For host memory whose content is ready; otherwise
/// invalid_argument. The unversioned structure is for writable memory only: otherwise failed_precondition.
Result<dlpack::ManagedTensor*> to_dlpack(const tensor::Tensor& tensor);
Result<dlpack::ManagedTensorVersioned*> to_dlpack_versioned(const tensor::Tensor& tensor);

/// Allocates a structure with the type, shape and device (host memory) of `prototype`, with memory from the
/// pool; the allocator of the C exchange API.
Result<dlpack::ManagedTensorVersioned*> allocate_dlpack(const dlpack::Tensor& prototype);

/// Takes ownership of `managed` on success: the deleter is called when the array's last owner drops it. On
/// failure the caller keeps it.
Result<StridedArray> array_from_dlpack(dlpack::ManagedTensor* managed);
/// failed_precondition for a major version other than 1.
Result<StridedArray> array_from_dlpack(dlpack::ManagedTensorVersioned* managed);

/// The same as a tensor in host memory; an array that is not dense is copied (counted) and released at once.
Result<tensor::Tensor> from_dlpack(dlpack::ManagedTensor* managed);
Result<tensor::Tensor> from_dlpack(dlpack::ManagedTensorVersioned* managed);

}  // namespace forebay::exchange
