// Arrays and tensors across DLPack. Exporting shares the memory: the structure holds it until its deleter is
// called, once, on any thread, with or without an interpreter. Importing shares it too.
//
// What is handed over follows the specification of 1.3 and what consumers can bear: strides are always there,
// `byte_offset` is 0 and the pointer is the first element's, an empty tensor has no pointer, pinned memory is
// CPU memory (some frameworks refuse the other code), and negative strides are never handed over (some
// frameworks end the process).
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
  std::optional<dlpack::Device> device;  // none: where the memory is
  std::optional<bool> copy;              // none: only where it must be
};

/// The device that DLPack is told of.
dlpack::Device dlpack_device(const StridedArray& array);

/// The usual case in one go: a dense array in host memory that is ready, asked for nothing in particular.
/// Null for any other, of which to_dlpack() and to_dlpack_versioned() say what it needs.
dlpack::ManagedTensor* share_plain(const StridedArray& array);
dlpack::ManagedTensorVersioned* share_plain_versioned(const StridedArray& array);

/// True when the hand-over blocks for nothing and copies nothing.
bool is_immediate(const StridedArray& array, const DlpackRequest& request);

/// failed_precondition, with the reason, when the array cannot be handed over as asked;
/// `may_expose_read_only` lets the unversioned structure, which cannot say so, carry read-only memory to a
/// consumer that does not write. Copies are counted.
Result<dlpack::ManagedTensor*> to_dlpack(const StridedArray& array, const DlpackRequest& request = {},
                                         bool may_expose_read_only = false);
Result<dlpack::ManagedTensorVersioned*> to_dlpack_versioned(const StridedArray& array,
                                                            const DlpackRequest& request = {});

/// The same for tensors, the fast way: one allocation. Host memory whose content is ready; invalid_argument
/// else.
Result<dlpack::ManagedTensor*> to_dlpack(const tensor::Tensor& tensor);
Result<dlpack::ManagedTensorVersioned*> to_dlpack_versioned(const tensor::Tensor& tensor,
                                                            bool read_only = false);

/// A structure for `prototype`'s type, shape and device (host memory) with memory of the pool: what the C
/// exchange API's allocator gives.
Result<dlpack::ManagedTensorVersioned*> allocate_dlpack(const dlpack::Tensor& prototype);

/// Takes `managed` over when it succeeds: the array calls its deleter when its last owner goes. When it fails
/// the caller keeps it.
Result<StridedArray> array_from_dlpack(dlpack::ManagedTensor* managed);
/// failed_precondition for a major version other than 1.
Result<StridedArray> array_from_dlpack(dlpack::ManagedTensorVersioned* managed);

/// The same as a tensor in host memory; what is not dense is copied (counted) and given back at once.
Result<tensor::Tensor> from_dlpack(dlpack::ManagedTensor* managed);
Result<tensor::Tensor> from_dlpack(dlpack::ManagedTensorVersioned* managed);

}  // namespace forebay::exchange
