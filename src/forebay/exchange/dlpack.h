// Tensors across DLPack. Exporting shares the memory: the structure holds the tensor until its deleter is
// called, once, on any thread. Importing shares it too where the other side's tensor is dense and lies in
// host memory.
#pragma once

#include "forebay/base/status.h"
#include "forebay/exchange/dlpack_abi.h"
#include "forebay/tensor/tensor.h"

namespace forebay::exchange {

/// invalid_argument for memory that is not the host's, and for tensors without an element type. Pinned memory
/// is exported as CPU memory, since some frameworks refuse the other code.
Result<dlpack::ManagedTensor*> to_dlpack(const tensor::Tensor& tensor);
Result<dlpack::ManagedTensorVersioned*> to_dlpack_versioned(const tensor::Tensor& tensor,
                                                            bool read_only = false);

/// Takes `managed` over when it succeeds: the tensor calls its deleter when its last owner goes. When it
/// fails the caller keeps it. A tensor that is not dense is copied (and counted), and the original given back
/// at once.
Result<tensor::Tensor> from_dlpack(dlpack::ManagedTensor* managed);
/// failed_precondition for a major version other than 1.
Result<tensor::Tensor> from_dlpack(dlpack::ManagedTensorVersioned* managed);

}  // namespace forebay::exchange
