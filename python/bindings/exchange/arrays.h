// Tensors and Python's memory: buffers in, array interfaces and DLPack out, without a copy.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "forebay/base/error_context.h"
#include "forebay/base/status.h"
#include "forebay/exchange/arrays/strided_array.h"
#include "forebay/tensor/batch.h"
#include "forebay/tensor/tensor.h"

namespace forebay::bindings {

namespace nb = nanobind;

/// Where the samples of a delivery come from; shared by all tensors of it.
using Origins = std::shared_ptr<const std::vector<SampleOrigin>>;

/// forebay.TensorCPU
struct PythonTensor {
  tensor::Tensor tensor;
  Origins origins;  // null when unknown
  int sample = 0;
  exchange::Extents lent_strides{};  // in elements, for those who borrow the tensor's description
  int enumeration = -1;              // DALI's number of the type that the integers stand for; -1: of none
};

/// forebay.TensorListCPU
struct PythonTensorList {
  tensor::Batch batch;
  Origins origins;
  int enumeration = -1;

  PythonTensor at(int index) const { return {batch[index], origins, index, {}, enumeration}; }
  /// All samples as one tensor, copied only where they do not lie in a row. Raises ValueError when shapes
  /// differ.
  PythonTensor stacked() const;
  tensor::Layout layout() const;
};

/// A tensor over the memory of an object with the buffer protocol, C-contiguous. `copy`: a copy of it
/// (counted), else the object is kept alive, and read-only memory stays so; numbers that lie between places
/// of their size are copied, too. Raises TypeError or ValueError.
tensor::Tensor tensor_from_buffer(nb::handle object, const std::string& layout, bool copy);

nb::tuple shape_of(const tensor::Shape& shape);

/// NumPy's array over the tensor's memory; keeps the tensor alive.
nb::object numpy_array(nb::object owner);

/// Raises RuntimeError when the host may not touch the memory.
void check_host_accessible(const tensor::Tensor& tensor);

}  // namespace forebay::bindings
